//! The engine of the page beside the program.

use std::fs;

use enbu_tests::binary::workspace_root;
use enbu_tests::session::Session;
use serde_json::Value;

/// Options whose ranges or defaults are those of a page: memory, and lines on a screen.
const SMALLER: [&str; 2] = ["USI_Hash", "MultiPV"];

#[test]
fn options_of_the_page_are_those_of_the_program() {
    let manifest = fs::read_to_string(workspace_root().join("web/js/engine.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let mut session = Session::start();
    session.send("usi");
    let lines = session.until("usiok");
    let options = manifest["options"].as_array().unwrap();
    assert!(options.len() > 10);
    for option in options {
        let text = |name: &str| match &option[name] {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let name = text("name");
        let mut expected = format!("option name {name} type {} default {}", text("type"), text("default"));
        if option["min"].is_number() {
            expected += &format!(" min {} max {}", text("min"), text("max"));
        }
        for choice in option["vars"].as_array().into_iter().flatten() {
            expected += &format!(" var {}", choice.as_str().unwrap());
        }
        let declared = lines.iter().find(|line| line.starts_with(&format!("option name {name} "))).expect("an option");
        assert!(*declared == expected || SMALLER.contains(&name.as_str()), "{expected}: {declared}");
    }
}

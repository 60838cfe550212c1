//! The search's parameters as options, with the feature `tune`.

use enbu_usi::{OptionError, OptionKind, OptionSpec, OptionValue};

fn spec(parameter: &enbu_search::Parameter) -> OptionSpec {
    let [default, min, max] = [parameter.default, parameter.min, parameter.max].map(i64::from);
    OptionSpec::new(parameter.name, OptionKind::Spin { min, max }, OptionValue::Spin(default))
}

pub(super) fn specs() -> impl Iterator<Item = OptionSpec> {
    enbu_search::PARAMETERS.iter().map(spec)
}

pub(super) fn set(name: &str, value: Option<&str>) -> Option<Result<(), OptionError>> {
    let parameter = enbu_search::PARAMETERS.iter().find(|parameter| parameter.name == name)?;
    Some(spec(parameter).parse(value).map(|value| {
        if let OptionValue::Spin(number) = value {
            parameter.set(i32::try_from(number).unwrap_or(parameter.default));
        }
    }))
}

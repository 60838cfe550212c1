//! The search's parameters as options: only with the feature `tune`.

use enbu_usi::{OptionError, OptionSpec};
#[cfg(feature = "tune")]
use enbu_usi::{OptionKind, OptionValue};

#[cfg(feature = "tune")]
fn spec(parameter: &enbu_search::Parameter) -> OptionSpec {
    let [default, min, max] = [parameter.default, parameter.min, parameter.max].map(i64::from);
    OptionSpec::new(parameter.name, OptionKind::Spin { min, max }, OptionValue::Spin(default))
}

#[cfg(feature = "tune")]
pub(super) fn specs() -> impl Iterator<Item = OptionSpec> {
    enbu_search::PARAMETERS.iter().map(spec)
}

#[cfg(feature = "tune")]
pub(super) fn set(name: &str, value: Option<&str>) -> Option<Result<(), OptionError>> {
    let parameter = enbu_search::PARAMETERS.iter().find(|parameter| parameter.name == name)?;
    Some(spec(parameter).parse(value).map(|value| {
        if let OptionValue::Spin(number) = value {
            parameter.set(i32::try_from(number).unwrap_or(parameter.default));
        }
    }))
}

#[cfg(not(feature = "tune"))]
pub(super) fn specs() -> impl Iterator<Item = OptionSpec> {
    std::iter::empty()
}

#[cfg(not(feature = "tune"))]
pub(super) fn set(_: &str, _: Option<&str>) -> Option<Result<(), OptionError>> {
    None
}

//! Processor, kernels, threads.

use std::fs;

use super::report::{Check, Text, Topic};
use crate::options::Options;
use crate::{evaluation, identity, machine};

/// Name and features of the processor, and the operating system.
pub(super) fn processor() -> Check {
    let mut check = Check::new(Topic::Processor);
    let (name, features) = (processor_name(), identity::cpu_features());
    let (system, processors) = (system_name(), machine::processors());
    check.set("name", name.clone());
    check.set("features", features.clone());
    check.set("processors", processors);
    check.set("system", system.clone());
    let features = features.join(" ");
    check.fine(Text::new(
        format!("{name}, {processors} processors for this program; {system}"),
        format!("{name}、使える論理コア {processors}、{system}"),
    ));
    if cfg!(target_arch = "x86_64") && !features.contains("avx2") {
        check.note(
            Text::new(format!("features {features}: no AVX2"), format!("機能 {features}: AVX2 がありません")),
            Text::new(
                "Enbu runs on such a processor, about half as fast. In a virtual machine, let it have all features.",
                "動作しますが、速度は半分ほどになります。仮想マシンなら CPU の全機能を使えるように設定します。",
            ),
        );
    } else {
        check.fine(Text::new(format!("features {features}"), format!("機能 {features}")));
    }
    check
}

/// The name that the system has for the processor.
fn processor_name() -> String {
    let from_linux = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    // Windows names family and model there.
    from_linux
        .or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok())
        .unwrap_or_else(|| format!("unnamed {} processor", std::env::consts::ARCH))
}

/// The operating system, with the version of the kernel on Linux.
fn system_name() -> String {
    let version = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {}", std::env::consts::OS, version.trim()).trim_end().to_owned()
}

/// The kernels in use and those available.
pub(super) fn kernels() -> Check {
    let mut check = Check::new(Topic::Kernels);
    let available = identity::kernels();
    let best = available.first().copied().unwrap_or("scalar");
    let variable = evaluation::SIMD_VARIABLE;
    check.set("available", available.clone());
    let list = available.join(" ");
    match evaluation::kernels() {
        Ok(kernels) => {
            let name = kernels.name();
            check.set("used", name);
            let available =
                Text::new(format!("{name} in use; available: {list}"), format!("{name} を使用、使えるもの: {list}"));
            if name == best {
                check.fine(available);
            } else {
                check.note(
                    Text::new(
                        format!("{name} in use by {variable}; {best} is faster; available: {list}"),
                        format!("{variable} により {name} を使用（{best} のほうが速い）、使えるもの: {list}"),
                    ),
                    Text::new(
                        format!("Remove the environment variable {variable}."),
                        format!("環境変数 {variable} を削除します。"),
                    ),
                );
            }
        }
        Err(error) => check.fault(
            Text::new(
                format!("{error}; the engine plays with piece-square tables instead of a network"),
                format!("指定が使えません（{error}）。ネットワークの代わりに駒位置評価で指します"),
            ),
            Text::new(
                format!("Remove the environment variable {variable}, or set it to one of: {list}."),
                format!("環境変数 {variable} を削除するか、{list} のどれかにします。"),
            ),
        ),
    }
    check
}

/// `Threads` against the processors.
pub(super) fn threads(options: &Options) -> Check {
    let mut check = Check::new(Topic::Threads);
    let (threads, processors) = (options.threads(), machine::processors());
    check.set("threads", threads);
    check.set("processors", processors);
    if threads > processors {
        check.fault(
            Text::new(
                format!("Threads {threads}, but only {processors} processors: the search loses time to switching"),
                format!("Threads {threads} に対して論理コアは {processors} しかなく、切り替えで遅くなります"),
            ),
            Text::new(
                format!("Set Threads to {processors} or less."),
                format!("Threads を {processors} 以下にします。"),
            ),
        );
    } else {
        check.fine(Text::new(
            format!("Threads {threads} on {processors} processors"),
            format!("Threads {threads}、論理コア {processors}"),
        ));
    }
    check
}

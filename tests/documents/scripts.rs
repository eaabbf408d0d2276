//! Tests that `scripts/with-adapter` runs its command on the adapters that its help lists, with
//! stand-ins for drivers, so that nothing is installed and no adapter is needed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use indim_testing::not_tested;

use crate::markdown::root;
use crate::operations::files;

/// A folder with a Vulkan loader, a lavapipe and a SwiftShader, none of which would work.
struct Drivers(PathBuf);

impl Drivers {
    fn new(test: &str) -> Self {
        let drivers =
            Self(std::env::temp_dir().join(format!("indim-{}-{test}", std::process::id())));
        fs::create_dir_all(&drivers.0).unwrap();
        for library in ["libvulkan.so.1", "libvulkan_lvp.so", "libvk_swiftshader.so"] {
            // The script asks whether a file is a library of this machine's kind, as a program is.
            fs::copy("/bin/sh", drivers.0.join(library)).unwrap();
        }
        for (manifest, library) in
            [("lvp.json", "libvulkan_lvp.so"), ("swiftshader.json", "libvk_swiftshader.so")]
        {
            let text = format!("{{\"ICD\": {{\"library_path\": \"./{library}\"}}}}");
            fs::write(drivers.0.join(manifest), text).unwrap();
        }
        drivers
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_owned()
    }

    /// Runs the script with these arguments; returns the exit status and both streams. `manifest`
    /// is that of SwiftShader.
    fn run(&self, manifest: &str, args: &[&str]) -> (Option<i32>, String, String) {
        Self::outcome(&mut self.script(manifest, args))
    }

    fn script(&self, manifest: &str, args: &[&str]) -> Command {
        let mut script = Command::new(root().join("scripts/with-adapter"));
        script
            .args(args)
            .env("LD_LIBRARY_PATH", &self.0)
            .env("VK_DRIVER_FILES", self.path("lvp.json"))
            .env("INDIM_SWIFTSHADER", self.path(manifest))
            .env("WGPU_ADAPTER_NAME", "llvmpipe")
            .env_remove("VK_ICD_FILENAMES")
            .env_remove("WGPU_BACKEND");
        script
    }

    fn outcome(script: &mut Command) -> (Option<i32>, String, String) {
        let output = script.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

impl Drop for Drivers {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A command that shows which driver it is to find.
const SHOW: [&str; 3] = ["sh", "-c", "echo \"$VK_DRIVER_FILES $WGPU_BACKEND $WGPU_ADAPTER_NAME\""];

#[test]
fn with_adapter_runs_on_the_usual_adapter_on_swiftshader_or_on_both() {
    if !cfg!(target_os = "linux") {
        return not_tested::on_this_system("its drivers are not Vulkan's");
    }
    let drivers = Drivers::new("runs");
    let usual = format!("{} {} {}\n", drivers.path("lvp.json"), "", "llvmpipe");
    let second = format!("{} {} {}\n", drivers.path("swiftshader.json"), "vulkan", "");
    for (options, shown) in [
        (&[][..], usual.clone()),
        (&["--swiftshader"], second.clone()),
        (&["--also-swiftshader"], usual + &second),
    ] {
        let (status, stdout, stderr) =
            drivers.run("swiftshader.json", &[options, &SHOW[..]].concat());
        assert_eq!((status, stdout), (Some(0), shown), "{options:?}: {stderr}");
    }
}

/// A layer of Mesa's prints errors where there is no display. It is off there, unless the user wants
/// it.
#[test]
fn with_adapter_turns_off_a_layer_that_needs_a_display() {
    if !cfg!(target_os = "linux") {
        return not_tested::on_this_system("its drivers are not Vulkan's");
    }
    let drivers = Drivers::new("layer");
    for (display, given, shown) in
        [(None, None, "1"), (Some("/tmp"), None, ""), (None, Some("0"), "0")]
    {
        let mut script =
            drivers.script("swiftshader.json", &["sh", "-c", "echo \"$NODEVICE_SELECT\""]);
        for (name, value) in [("XDG_RUNTIME_DIR", display), ("NODEVICE_SELECT", given)] {
            match value {
                Some(value) => script.env(name, value),
                None => script.env_remove(name),
            };
        }
        let (status, stdout, stderr) = Drivers::outcome(&mut script);
        assert_eq!((status, stdout), (Some(0), format!("{shown}\n")), "{stderr}");
    }
}

/// The exit status is that of the first run that fails, and none follows it.
#[test]
fn with_adapter_fails_where_its_command_does() {
    if !cfg!(target_os = "linux") {
        return not_tested::on_this_system("its drivers are not Vulkan's");
    }
    let drivers = Drivers::new("fails");
    for (command, status, runs) in [
        ("echo run; exit 3", 3, 1),
        ("echo run; case $VK_DRIVER_FILES in */swiftshader.json) exit 4 ;; esac", 4, 2),
    ] {
        let args = ["--also-swiftshader", "sh", "-c", command];
        let (found, stdout, stderr) = drivers.run("swiftshader.json", &args);
        assert_eq!((found, stdout), (Some(status), "run\n".repeat(runs)), "{stderr}");
    }
}

/// The exit status 77 is what `.ci/run` takes for a check that could not be made.
#[test]
fn with_adapter_says_where_there_is_no_swiftshader() {
    if !cfg!(target_os = "linux") {
        return not_tested::on_this_system("its drivers are not Vulkan's");
    }
    let drivers = Drivers::new("says");
    for (option, runs) in [("--swiftshader", 0), ("--also-swiftshader", 1)] {
        let args = [option, "echo", "run"];
        let (status, stdout, stderr) = drivers.run("nowhere.json", &args);
        assert_eq!((status, stdout), (Some(77), "run\n".repeat(runs)), "{stderr}");
        let why = "INDIM_SWIFTSHADER names no driver that can be used here: ";
        assert!(stderr.contains(why), "{stderr}");
    }
    let (status, help, _) = drivers.run("swiftshader.json", &["--help"]);
    assert_eq!(status, Some(0));
    for option in ["--also-swiftshader", "--swiftshader", "INDIM_SWIFTSHADER", "77"] {
        assert!(help.contains(option), "no {option} in\n{help}");
    }
    let (status, stdout, usage) = drivers.run("swiftshader.json", &["--unknown", "echo"]);
    assert_eq!((status, stdout.as_str()), (Some(2), ""));
    assert_eq!(usage, help);
}

/// `.ci/run` takes more of the cases of each test that takes a share of them.
#[test]
fn what_takes_a_share_is_among_the_long_tests() {
    let script = fs::read_to_string(root().join(".ci/run")).unwrap();
    let (_, list) = script.split_once("\nsampled=(").expect("the list of modules");
    let list: Vec<&str> = list.split_once(')').expect("its end").0.split_whitespace().collect();
    let mut found = 0;
    for folder in ["tests", "core/tests", "cli/tests", "accuracy/tests"] {
        for file in files(&root().join(folder), "rs") {
            let text = fs::read_to_string(&file).unwrap();
            if !["share::one_of(", "runner::run("].iter().any(|call| text.contains(call))
                || file.ends_with("documents/scripts.rs")
            {
                continue;
            }
            found += 1;
            let named = if file.ends_with("mod.rs") { file.parent().unwrap() } else { &file };
            let module = format!("{}::", named.file_stem().unwrap().to_str().unwrap());
            assert!(list.contains(&module.as_str()), "{} is not among {list:?}", file.display());
        }
    }
    assert!(found > 10, "{found} files");
}

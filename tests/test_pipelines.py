"""The GitHub Action, the GitLab example and the image: of the form that their hosts ask for, and run as they would be.

The forms are the schemas of schemastore.org, as check-jsonschema ships them. The steps of the action are run in order
with bash, with the real command and a stand-in for ``gh``.
"""

from __future__ import annotations

import importlib.resources
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
ACTION = yaml.safe_load((ROOT / ".github/actions/reportgen/action.yml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs/how-to/continuous-integration.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
DOCKERFILE = (ROOT / ".docker/Dockerfile").read_text(encoding="utf-8")
SCRIPTS = {step["name"]: step["run"] for step in ACTION["runs"]["steps"] if "run" in step}


def schema(name: str) -> dict[str, Any]:
    vendored = importlib.resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / f"{name}.json"
    return json.loads(vendored.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("github-actions", ACTION),
        ("github-workflows", yaml.safe_load(EXAMPLES[0])),
        ("gitlab-ci", yaml.safe_load(EXAMPLES[1])),
    ],
    ids=["action", "workflow", "gitlab"],
)
def test_a_pipeline_has_the_form_that_its_host_asks_for(name: str, document: dict[str, Any]) -> None:
    # YAML 1.1 reads the key `on` as true.
    document = {"on" if key is True else key: value for key, value in document.items()}
    jsonschema.validators.validator_for(schema(name))(schema(name)).validate(document)


def test_no_text_from_outside_becomes_part_of_a_script() -> None:
    assert SCRIPTS.keys() == {"Install", "Build", "Compare with the base branch and comment", "Judge"}
    assert [name for name, script in SCRIPTS.items() if "${{" in script] == []


def test_the_example_sets_inputs_that_the_action_has() -> None:
    [step] = [one for one in yaml.safe_load(EXAMPLES[0])["jobs"]["report"]["steps"] if "reportgen" in one["uses"]]
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert step["uses"].split("@")[0].endswith("/reportgen/.github/actions/reportgen")
    needed = {name for name, one in ACTION["inputs"].items() if one.get("required")}
    assert needed <= set(step["with"])


class Job:
    """A job that runs the action's own scripts, with a ``gh`` that holds one bundle of the base branch."""

    def __init__(self, folder: Path, inputs: Mapping[str, str]) -> None:
        self.folder, self.inputs = folder, {k: v.get("default", "") for k, v in ACTION["inputs"].items()} | inputs
        self.outputs: dict[str, dict[str, str]] = {}
        (folder / "bin").mkdir(parents=True)
        (folder / "temp").mkdir()
        self._write("reportgen", f'#!/bin/bash\nexec "{sys.executable}" -m reportgen "$@"\n')

    def beside(self, base: Path | None) -> None:
        """Let the base branch have a bundle, or none."""
        folder = self.folder
        found = f'cp -r "{base}" "$7"' if base else "exit 1"
        # gh run download RUN --name NAME --dir DIR
        gh = f"""#!/bin/bash
case "$1 $2" in
  "run list") echo {"17" if base else ""};;
  "run download") {found};;
  "pr comment") cat "$5" > "{folder}/commented"; [ "$6" != --edit-last ];;
esac
"""
        self._write("gh", gh)

    def _write(self, program: str, script: str) -> None:
        path = self.folder / "bin" / program
        path.write_text(script)
        path.chmod(0o755)

    def _value(self, text: str) -> str:
        def named(match: re.Match[str]) -> str:
            path = match[1].split(".")
            if path[0] == "inputs":
                return self.inputs[path[1]]
            if path[0] == "steps":
                return self.outputs.get(path[1], {}).get(path[3], "")
            return {"github.base_ref": "main", "github.event.pull_request.number": "5"}.get(match[1], "x")

        return re.sub(r"\$\{\{ ([a-z0-9_.-]+) \}\}", named, text)

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        [step] = [one for one in ACTION["runs"]["steps"] if one.get("name") == name]
        output = self.folder / "output"
        output.write_text("")
        environment = os.environ | {key: self._value(value) for key, value in step["env"].items()} | {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
        }  # fmt: skip
        # As GitHub runs `shell: bash`.
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, check=False)
        pairs = (line.partition("=") for line in output.read_text().splitlines())
        self.outputs[step.get("id", name)] = {key: value for key, _, value in pairs}
        return done


def predictions(folder: Path, probabilities: str) -> Path:
    rows = [f"q{n},c{n},{n % 2},{p}" for n, p in enumerate(probabilities.split())]
    path = folder / "run.csv"
    path.write_text("\n".join(["query,cluster,y_true,y_prob", *rows]) + "\n")
    return path


GOOD, BAD = "0.1 0.9 0.2 0.8 0.1 0.7 0.3 0.9", "0.9 0.1 0.8 0.2 0.9 0.3 0.7 0.1"
CONTRACT = (
    'id = "mine"\nversion = "1.0.0"\ntitle = "Mine"\ninherits = "field-standard"\nprimary = ["brier"]\n'
    'headline = ["brier"]\n[conventions]\nresamples = 200\n[targets]\nbrier = "<= 0.25"\n'
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Job]:
    """A job of good and one of bad predictions that have built their bundles; that of the good ones is the base."""
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "mine.toml").write_text(CONTRACT)
    jobs = {}
    for name, probabilities in (("good", GOOD), ("bad", BAD)):
        (folder / name).mkdir()
        run = str(predictions(folder / name, probabilities))
        jobs[name] = Job(folder / name / "job", {"run": run, "contract": str(folder / "mine.toml"), "formats": "csv"})
        done = jobs[name].run("Build")
        assert done.returncode == 0, done.stderr
    return jobs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "has_base", "code", "said"),
    [
        ("good", True, 0, "No headline value is worse; the target is met"),
        ("bad", True, 1, "1 of 1 headline values worse; the target is missed"),
        ("bad", False, 1, "The target is missed."),
        ("good", False, 0, "The branch main has no bundle to compare with."),
    ],
)
def test_the_action_comments_and_fails_as_it_says(
    built: Mapping[str, Job], name: str, has_base: bool, code: int, said: str
) -> None:
    job = built[name]
    job.beside(Path(built["good"].outputs["build"]["bundle"]) if has_base else None)
    done = job.run("Compare with the base branch and comment")
    assert done.returncode == 0, done.stderr
    assert said in (job.folder / "commented").read_text()
    assert "Untitled evaluation" in (job.folder / "summary").read_text()
    assert job.run("Judge").returncode == code
    assert json.loads(Path(job.outputs["build"]["sarif"]).read_text())["version"] == "2.1.0"
    assert Path(job.outputs["build"]["bundle"], "metrics_master.json").is_file()


def test_the_image_follows_the_rules_for_images() -> None:
    """The rules are hadolint's: pinned tags (DL3006, DL3007), no recommends (DL3015), no lists (DL3009), no cache
    (DL3042), a user of its own (DL3002), arguments as JSON (DL3025)."""
    lines = DOCKERFILE.replace("\\\n", " ").splitlines()
    told = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    by_word: dict[str, list[str]] = {}
    for word, rest in told:
        by_word.setdefault(word, []).append(rest)
    assert all(re.match(r"python:3\.\d+-slim( AS \w+)?$", rest) for rest in by_word["FROM"])
    for command in by_word["RUN"]:
        assert "apt-get install" not in command or (
            "--no-install-recommends" in command and "rm -rf /var/lib/apt/lists/*" in command and " -y " in command
        )
        assert "pip install" not in command or command.count("pip install") == command.count(
            "pip install --no-cache-dir"
        )
    assert by_word["USER"] not in (["root"], ["0"])
    assert DOCKERFILE.rindex("USER") > DOCKERFILE.rindex("RUN"), "everything after the last layer runs without root"
    assert all(isinstance(json.loads(rest), list) for word in ("ENTRYPOINT", "CMD") for rest in by_word[word])
    copied = {name for rest in by_word["COPY"] if "--from" not in rest for name in rest.split()[:-1]}
    assert all((ROOT / name).exists() for name in copied)
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert copied.isdisjoint(ignored)


def test_the_image_has_the_libraries_that_the_demo_needs() -> None:
    needed = re.findall(r"need (lib\S+) library", (ROOT / ".ci/system-packages.sh").read_text(encoding="utf-8"))
    assert len(needed) == 3
    assert all(name in DOCKERFILE and name in SCRIPTS["Install"] for name in needed)


@pytest.mark.slow
def test_the_image_is_built_and_sets_a_pdf_without_root(tmp_path: Path) -> None:
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True, check=False).returncode:
        pytest.skip("no docker daemon is running: the Dockerfile is linted only")
    build = [docker, "build", "-q", "-f", ".docker/Dockerfile", "."]
    image = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    shutil.copytree(ROOT / "sample_runs" / "tiny", tmp_path / "run")
    mounted = [docker, "run", "--rm", "-v", f"{tmp_path}:/work", "-u", str(os.getuid()), image]
    command = [*mounted, "build", "run", "-o", "bundle", "--formats", "pdf", "--resamples", "20"]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "bundle" / "report.pdf").read_bytes().startswith(b"%PDF")

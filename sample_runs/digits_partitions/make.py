"""Write the tables of ../digits_pages as Parquet files, each with whole pages: python make.py."""

import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "digits_pages"
PARTITIONS = 3
TABLES = {"queries": "queries", "predictions": "predictions", "candidates": "candidates", "tune": "tune_predictions"}
"""Key under [files] to the name of the table."""
TEXTS = {name: pa.string() for name in ("query_id", "group_id", "criterion_id", "fold", "model_fold", "sent_uid")}


def main() -> None:
    run_toml = (SOURCE / "run.toml").read_text(encoding="utf-8")
    pages = dict(zip(*(read("queries")[name].to_pylist() for name in ("query_id", "group_id")), strict=True))
    for role, name in TABLES.items():
        write(name, read(name), pages)
        run_toml = run_toml.replace(f'{role} = "{name}.csv.gz"', f'{role} = "{name}/"')
    (HERE / "thresholds.csv.gz").write_bytes((SOURCE / "thresholds.csv.gz").read_bytes())
    rest = run_toml.partition("\n")[2]
    head = "# A real run in partitions, made by make.py from ../digits_pages. README.md says more.\n"
    (HERE / "run.toml").write_text(head + rest, encoding="utf-8")


def read(name: str) -> pa.Table:
    options = pa_csv.ConvertOptions(column_types=TEXTS)
    return pa_csv.read_csv(SOURCE / f"{name}.csv.gz", convert_options=options)


def write(name: str, table: pa.Table, pages: dict[str, str]) -> None:
    """Deal the rows of each page to one of the files, by a sum of the page's name that no release changes."""
    (HERE / name).mkdir(exist_ok=True)
    of_row = [zlib.crc32(pages[query].encode()) % PARTITIONS for query in table["query_id"].to_pylist()]
    for number in range(PARTITIONS):
        own = table.filter(pa.array([part == number for part in of_row]))
        pq.write_table(own, HERE / name / f"part-{number}.parquet", compression="zstd")


if __name__ == "__main__":
    main()

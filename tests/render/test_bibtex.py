from __future__ import annotations

from reportgen.documents.bibliography import bibliography
from reportgen.domain.presentation import CitedWork
from reportgen.render.bibtex import bibliography_list, bibtex, names, where

WORK = CitedWork(
    "efron1987", "article", ("Efron, Bradley",), "50% & better_", "J. Ä", "82", "397", "171–185", "1987", "10.1/a_b"
)


def test_an_entry_keeps_the_capitals_of_its_title_and_escapes_text() -> None:
    assert bibtex([WORK]) == (
        "@article{efron1987,\n"
        "  author = {Efron, Bradley},\n"
        "  title = {{50\\% \\& better\\_}},\n"
        "  journal = {J. Ä},\n"
        "  volume = {82},\n"
        "  number = {397},\n"
        "  pages = {171--185},\n"
        "  year = {1987},\n"
        "  doi = {10.1/a_b},\n"
        "}\n"
    )


def test_the_list_reads_as_bibtex_sets_it() -> None:
    assert bibliography_list([WORK]) == (
        "\\begin{thebibliography}{9}\n\n"
        "\\bibitem{efron1987}\n"
        "Bradley Efron.\n"
        "\\newblock 50\\% \\& better\\_.\n"
        "\\newblock J. Ä, 82(397):171--185, 1987.\n"
        "\\newblock doi:\\,10.\\allowbreak 1/\\allowbreak a\\_b.\n\n"
        "\\end{thebibliography}\n"
    )


def test_the_label_is_as_wide_as_the_largest_number() -> None:
    assert bibliography_list([WORK] * 10).startswith("\\begin{thebibliography}{99}")


def test_authors_are_joined_as_they_are_read() -> None:
    known = bibliography()
    assert names(known["holm1979"]) == "Sture Holm"
    assert names(known["efron1993"]) == "Bradley Efron and Robert J. Tibshirani"
    assert names(known["smucker2007"]) == "Mark D. Smucker, James Allan and Ben Carterette"
    assert names(known["harris2020"]) == "Charles R. Harris, K. Jarrod Millman, Stéfan J. van der Walt et al"


def test_the_place_leaves_out_what_is_not_known() -> None:
    known = bibliography()
    assert where(known["westfall1993"]) == "Wiley, 1993"
    assert where(known["bengio2004"]) == "Journal of Machine Learning Research, 5:1089–1105, 2004"
    assert where(known["davis2006"]).endswith("Machine Learning, pages 233–240, 2006")

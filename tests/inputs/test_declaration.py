import pytest

from reportgen.domain.record import FigureOptions, PresentationRecord, TableOptions
from reportgen.domain.record_facts import Noun
from reportgen.errors import ProblemList
from reportgen.inputs.declaration import LabelEntry, LabelSetEntry, SystemEntry, parse
from reportgen.inputs.names import FileRole


def declared(text):
    problems = ProblemList()
    return parse(text.encode(), problems), [f"{p.code} {p.message}" for p in problems.problems]


def test_a_full_run_toml_is_read_key_by_key():
    found, problems = declared(
        """
        title = "T"
        dataset = "D"
        date = 2026-01-18
        authors = ["A", "B"]
        synthetic = true
        contract = "trec-eval"
        decision = "tau_f1"
        [columns]
        query = ["post_id", "criterion_id"]
        cluster = "post_id"
        [files]
        queries = "q.parquet"
        tune = "t.parquet"
        [[systems]]
        id = "bm25"
        [[systems]]
        id = "gnn"
        label = "+ GNN"
        step = 3
        params = { gamma = 0.9 }
        predictions = "gnn/per_query.csv"
        ranking = "reranked_topk"
        [comparisons]
        baseline = "bm25"
        family = ["ndcg@10", "auroc"]
        pairs = "all"
        adjustment = "max_t"
        tests = ["delong", "paired_t", "delong"]
        [label_sets]
        dsm5 = ["A.1", "A.2"]
        trained = { exclude = ["A.10"], title = "Trained on" }
        [label_sets.own]
        labels = ["A.2"]
        [labels."A.10"]
        description = "other"
        type = "non-DSM-5"
        trained = false
        """
    )
    assert problems == []
    assert (found.title, found.dataset, found.date, found.authors) == ("T", "D", "2026-01-18", ("A", "B"))
    assert (found.synthetic, found.contract, found.decision) == (True, "trec-eval", "tau_f1")
    assert found.columns == {"query": ("post_id", "criterion_id"), "cluster": ("post_id",)}
    assert found.files == {FileRole.QUERIES: "q.parquet", FileRole.TUNE: "t.parquet"}
    assert found.systems == (
        SystemEntry("bm25"),
        SystemEntry(
            "gnn",
            "+ GNN",
            3,
            {"gamma": 0.9},
            {FileRole.PREDICTIONS: "gnn/per_query.csv"},
            {"ranking": "reranked_topk"},
        ),
    )
    assert (found.baseline, found.family) == ("bm25", ("ndcg@10", "auroc"))
    assert (found.pairs, found.adjustment, found.tests) == ("all", "max_t", ("delong", "paired_t"))
    assert found.label_sets == {
        "dsm5": LabelSetEntry(("A.1", "A.2")),
        "trained": LabelSetEntry(exclude=("A.10",), title="Trained on"),
        "own": LabelSetEntry(("A.2",)),
    }
    assert found.labels == {"A.10": LabelEntry("other", "non-DSM-5", trained=False)}


def test_comparisons_that_are_not_declared_have_the_usual_ways():
    found, problems = declared("title = 'T'\n")
    assert problems == []
    assert (found.baseline, found.family) == (None, ())
    assert (found.pairs, found.adjustment, found.tests) == ("baseline", "holm", ())


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ('"page"', Noun("page", "pages")),
        ('"digit class"', Noun("digit class", "digit classes")),
        ('"category"', Noun("category", "categories")),
        ('"day"', Noun("day", "days")),
        ('["criterion", "criteria"]', Noun("criterion", "criteria")),
    ],
)
def test_a_unit_is_one_word_with_its_usual_plural_or_both(text, noun):
    found, problems = declared(f"[units]\nlabel = {text}\n")
    assert problems == []
    assert found.units.label == noun
    assert found.units.query == Noun("query", "queries")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("step = 1\n", "RG111 unknown key 'step' in the file"),
        ("[[systems]]\nid = 'a'\nlable = 'A'\n", "RG111 unknown key 'lable' in [systems]"),
        ("[labels.A]\ntrainde = true\n", "RG111 unknown key 'trainde' in [labels.A]"),
        ("[[systems]]\nid = 'a'\n[[systems]]\nid = 'a'\n", "RG112 two systems have the id 'a'"),
        ("[[systems]]\nid = 'a'\nstep = true\n", "RG112 [systems] step is True"),
        ("authors = ['a', 1]\n", "RG112 authors is ['a', 1]"),
        ("systems = 'a'\n", "RG112 systems is 'a'"),
        ("systems = [1]\n", "RG112 systems is [1]"),
        ("files = 'a'\n", "RG112 files is 'a'"),
        ("[comparisons]\npairs = 'some'\n", "RG112 [comparisons] pairs is 'some'"),
        ("[comparisons]\nadjustment = 'bonferroni'\n", "RG112 [comparisons] adjustment is 'bonferroni'"),
        ("[comparisons]\ntests = ['sign']\n", "RG112 [comparisons] tests is ['sign']"),
        ("[comparisons]\nfamily = ['ndgc@10']\n", "RG112 [comparisons] family is ['ndgc@10']"),
        ("[comparisons]\nfamily = ['auroc', 'AU ROC']\n", "RG112 [comparisons] family is ['auroc', 'AU ROC']"),
        ("[comparisons]\ntest = ['delong']\n", "RG111 unknown key 'test' in [comparisons]"),
        ("date = 2026-01-18T00:00:00\n", "RG112 date is datetime.datetime(2026, 1, 18, 0, 0)"),
        ("a = 1\na = 2\n", "RG110 not TOML: Cannot overwrite a value (at line 2, column 6)"),
        ("x = " + "[" * 5000 + "\n", "RG110 not TOML: nested too deeply"),
    ],
)
def test_a_wrong_key_or_value_is_named(text, problem):
    _, problems = declared(text)
    assert [p for p in problems if p.startswith(problem)], problems


def test_a_metric_that_does_not_exist_is_named_with_the_nearest():
    problems = ProblemList()
    parse(b"[comparisons]\nfamily = ['auroc', 'ndgc@10']\n", problems)
    (problem,) = problems.problems
    assert "'ndgc@10' is none (nearest: 'ndcg'" in problem.fix


def test_tables_and_figures_are_picked_ordered_and_reworded():
    found, problems = declared(
        """
        [tables]
        show = ["main-results", "per-fold"]
        intervals = "sd-and-interval"
        [tables.per-fold]
        title = "Folds"
        caption = "By fold."
        [figures]
        show = []
        [figures.roc]
        title = "ROC"
        """
    )
    assert problems == []
    assert found.presentation == PresentationRecord(
        tables=("main-results", "per-fold"),
        figures=(),
        table_options={"per-fold": TableOptions(title="Folds", caption="By fold.")},
        figure_options={"roc": FigureOptions(title="ROC")},
        interval_form="sd-and-interval",
    )
    assert declared("title = 'T'\n")[0].presentation == PresentationRecord()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[tables]\nintervals = 'pm'", "RG112 [tables] intervals is 'pm'"),
        ("[tables]\nshwo = ['a']", "RG112 [tables] shwo is ['a']"),
        ("[tables.dataset]\nmetrics = ['aurok']", "RG112 [tables.dataset] metrics is ['aurok']"),
        ("[tables.dataset]\nrow = 'systems'", "RG111 unknown key 'row' in [tables.dataset]"),
        ("[tables.dataset]\nrows = 'system'", "RG112 [tables.dataset] rows is 'system'"),
        ("[tables.dataset]\nrename = { a = 3 }", "RG112 [tables.dataset] rename is {'a': 3}"),
        ("[figures.roc]\ncolour = 'red'", "RG111 unknown key 'colour' in [figures.roc]"),
        ("[figures]\nshow = 'roc'", "RG112 [figures] show is 'roc'"),
        (f"[tables.dataset]\ncaption = '{'x' * 4001}'", f"RG112 [tables.dataset] caption is '{'x' * 119}…"),
    ],
)
def test_what_is_wrong_about_tables_and_figures_is_named(text, problem):
    assert declared(text)[1] == [problem]


def test_several_wrong_keys_are_reported_together():
    _, problems = declared("titel = 'x'\nautors = []\n[colums]\n[files]\nquerys = 'x'\n")
    assert problems == [
        "RG111 unknown key 'querys' in [files]",
        "RG111 unknown key 'titel' in the file",
        "RG111 unknown key 'autors' in the file",
        "RG111 unknown key 'colums' in the file",
    ]


def test_the_report_names_a_theme_its_options_and_a_document_class():
    text = (
        "title = 'T'\n[report]\ntheme = 'journal'\ndocument_class = 'acmart'\n"
        "options = { accent = '#112233', wide = true }\n"
    )
    report = declared(text)[0].presentation.report
    assert (report.theme, report.document_class) == ("journal", "acmart")
    assert report.options == {"accent": "#112233", "wide": True}


def test_the_old_key_of_the_document_class_is_refused_with_its_new_name():
    _, problems = declared("title = 'T'\n[report]\ntemplate = 'acmart'\n")
    assert problems == ["RG111 the key 'template' in [report] is called 'document_class'"]


def test_options_of_the_report_are_single_values():
    found, problems = declared("title = 'T'\n[report]\noptions = { accent = ['#112233'] }\nstyle = 'x'\n")
    assert found.presentation.report.options == {}
    assert [problem[:5] for problem in problems] == ["RG112", "RG111"]

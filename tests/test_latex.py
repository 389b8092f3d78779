"""Text as LaTeX."""

import pytest

from cubspec.latex import latex_code, latex_text


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("plain, text.", "plain, text."),
        ("50 % of A & B_c #1 $x$ {y}", r"50 \% of A \& B\_c \#1 \$x\$ \{y\}"),
        ("\\~^", r"\textbackslash{}\textasciitilde{}\textasciicircum{}"),
        ("a|b<c>d", r"a\textbar{}b\textless{}c\textgreater{}d"),
        ("[1] *", "{[}1] {*}"),
        ("a-b--c---d", "a-b-{}-c-{}-{}-d"),
        ("1–2 σ §4", r"1--2 $\sigma$ \S{}4"),
    ],
)
def test_prose(text: str, latex: str) -> None:
    assert latex_text(text) == latex


@pytest.mark.parametrize(
    ("text", "breaks", "latex"),
    [
        ("PCP|n:1", "|", r"\texttt{PCP|\allowbreak{}n:1}"),
        ("a|", "|", r"\texttt{a|}"),
        (
            "https://a.b/c_d/#e",
            "/",
            r"\texttt{https://\allowbreak{}a.b/\allowbreak{}c\_d/\allowbreak{}\#e}",
        ),
        ("v:1|h:2 h:3", "|", r"\texttt{v:1|\allowbreak{}h:2 h:3}"),
    ],
)
def test_code(text: str, breaks: str, latex: str) -> None:
    assert latex_code(text, breaks) == latex

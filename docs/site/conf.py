"""Sphinx's settings of the site. scripts/site/make_site.py lays out the sources that it reads."""

import pathlib

from docutils import nodes

project = "Cuttle"
author = copyright = "the authors of Cuttle"
version = release = pathlib.Path("version.txt").read_text().strip()

extensions = ["myst_parser", "breathe"]
source_suffix = {".md": "markdown"}
root_doc = "index"
nitpicky = False

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "html_image", "attrs_inline"]
myst_heading_anchors = 6
myst_dmath_double_inline = True
suppress_warnings = ["duplicate_declaration.cpp"]  # each header opens the namespace

breathe_projects = {"cuttle": "../xml"}
breathe_default_project = "cuttle"
cpp_id_attributes = ["CUTTLE_API", "CUTTLE_INLINE"]
primary_domain = "cpp"
highlight_language = "text"

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"Cuttle {release}"
html_static_path = ["_static"]
html_css_files = ["cuttle.css"]
html_extra_path = ["live"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}


def setup(app):
    """Formulas as MathML, which browsers draw by themselves: no script, no network."""
    from latex2mathml.converter import convert

    def inline(translator, node):
        translator.body.append(convert(node.astext()))
        raise nodes.SkipNode

    def block(translator, node):
        translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
        raise nodes.SkipNode

    app.add_html_math_renderer("mathml", (inline, None), (block, None))

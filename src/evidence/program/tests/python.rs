//! Idioms of Python.

use super::check;

#[test]
fn decorated_functions() {
    check(&[
        (
            "a bare call",
            &[("s.py", "@mcp.tool()\ndef weigh(stone: str, ctx: Context) -> str:\n    \"\"\"Weighs a stone\"\"\"\n")],
            &["weigh: Weighs a stone {stone: string}"],
        ),
        (
            "no call",
            &[("s.py", "@server.tool\nasync def weigh(stone: str):\n    '''\n    Weighs\n    a stone\n    '''\n")],
            &["weigh: Weighs\na stone {stone: string}"],
        ),
        (
            "named",
            &[(
                "s.py",
                "@mcp.tool(name='weigh', description='Weighs', annotations=ToolAnnotations(readOnlyHint=True))\ndef other(): pass\n",
            )],
            &["weigh: Weighs {} {\"readOnlyHint\":true}"],
        ),
        ("name first", &[("s.py", "@mcp.tool('weigh', 'Weighs')\ndef other(): pass\n")], &["weigh: Weighs {}"]),
        (
            "among others",
            &[("s.py", "@cached\n@mcp.tool(name=\"weigh\")\n@timed(3)\ndef other(n: int):\n    \"Weighs\"\n")],
            &["weigh: Weighs {n: integer}"],
        ),
        (
            "a text of a constant",
            &[("s.py", "TEXT = 'Weighs ' \"all \" + 'stones'\n@mcp.tool(description=TEXT)\ndef weigh(): pass\n")],
            &["weigh: Weighs all stones {}"],
        ),
        (
            "a text of another module",
            &[
                ("app/s.py", "from .texts import WEIGH\n@mcp.tool(description=WEIGH)\ndef weigh(): pass\n"),
                ("app/texts.py", "WEIGH = 'Weighs'\n"),
            ],
            &["weigh: Weighs {}"],
        ),
        (
            "a text of an absolute import",
            &[
                (
                    "src/app/s.py",
                    "from app.texts import T\nfrom app import texts\n@mcp.tool(description=T)\ndef weigh(): pass\n@mcp.tool(description=texts.T)\ndef count(): pass\n",
                ),
                ("src/app/texts.py", "T = 'Weighs'\n"),
                ("src/app/__init__.py", ""),
            ],
            &["weigh: Weighs {}", "count: Weighs {}"],
        ),
        (
            "a text that the package exports",
            &[
                ("app/s.py", "from app import T\n@mcp.tool(description=T)\ndef weigh(): pass\n"),
                ("app/__init__.py", "from .texts import *\n"),
                ("app/texts.py", "T = 'Weighs'\n"),
            ],
            &["weigh: Weighs {}"],
        ),
        (
            "an f-string",
            &[("s.py", "UNIT = 'grams'\n@mcp.tool(description=f'Weighs in {UNIT}')\ndef weigh(): pass\n")],
            &["weigh: Weighs in grams {}"],
        ),
        (
            "a format",
            &[("s.py", "@mcp.tool(description='Weighs in {}'.format('grams'))\ndef weigh(): pass\n")],
            &["weigh: Weighs in grams {}"],
        ),
        (
            "a dedented text",
            &[(
                "s.py",
                "from textwrap import dedent\n@mcp.tool(description=dedent('''Weighs'''))\ndef weigh(): pass\n",
            )],
            &["weigh: Weighs {}"],
        ),
        (
            "a text of a file",
            &[
                (
                    "app/s.py",
                    "from pathlib import Path\nT = (Path(__file__).parent / 'weigh.md').read_text()\n@mcp.tool(description=T)\ndef weigh(): pass\n",
                ),
                ("app/weigh.md", "Weighs"),
            ],
            &["weigh: Weighs {}"],
        ),
        (
            "a method",
            &[("s.py", "class Box:\n    @tool\n    def weigh(self, stone: str):\n        'Weighs'\n")],
            &["weigh: Weighs {stone: string}"],
        ),
    ]);
}

#[test]
fn functions_that_are_handed_over() {
    check(&[
        (
            "the decorator called",
            &[(
                "s.py",
                "from mcp.server.fastmcp import FastMCP\nclass Box:\n    def __init__(self, mcp):\n        mcp.tool(name='weigh')(self.weigh_it)\n    def weigh_it(self, stone: str):\n        'Weighs'\nBox(FastMCP('box'))\n",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "add_tool",
            &[(
                "s.py",
                "def weigh(stone: str):\n    'Weighs'\nmcp.add_tool(weigh)\nmcp.add_tool(weigh, name='heave', description='Heaves')\n",
            )],
            &["weigh: Weighs {stone: string}", "heave: Heaves {stone: string}"],
        ),
        (
            "add_tool of another module",
            &[
                ("app/s.py", "from . import work\nmcp.add_tool(work.weigh)\n"),
                ("app/work.py", "def weigh(stone: str):\n    'Weighs'\n"),
                ("app/__init__.py", ""),
            ],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "from_function",
            &[(
                "s.py",
                "def weigh(stone: str):\n    'Weighs'\nmcp.add_tool(FunctionTool.from_function(weigh, name='lift'))\n",
            )],
            &["lift: Weighs {stone: string}"],
        ),
        (
            "a loop over functions",
            &[(
                "s.py",
                "def weigh(stone: str):\n    'Weighs'\ndef count(n: int):\n    'Counts'\nfor f in [weigh, count]:\n    mcp.tool()(f)\n",
            )],
            &["count: Counts {n: integer}", "weigh: Weighs {stone: string}"],
        ),
        (
            "a loop over pairs",
            &[(
                "s.py",
                "def a(stone: str): pass\ndef b(n: int): pass\nfor name, text, f in [('weigh', 'Weighs', a), ('count', 'Counts', b)]:\n    mcp.add_tool(f, name=name, description=text)\n",
            )],
            &["count: Counts {n: integer}", "weigh: Weighs {stone: string}"],
        ),
        (
            "a loop over a dictionary",
            &[(
                "s.py",
                "def a(stone: str):\n    'Weighs'\nALL = {'weigh': a}\nfor name, f in ALL.items():\n    mcp.add_tool(f, name=name)\n",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "a list of another module",
            &[
                ("app/s.py", "from app.all import ALL\nfor f in ALL:\n    mcp.add_tool(f)\n"),
                ("app/all.py", "def weigh(stone: str):\n    'Weighs'\nALL = [weigh]\n"),
                ("app/__init__.py", ""),
            ],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "an own decorator",
            &[(
                "s.py",
                "def scale_tool(name):\n    def wrap(f):\n        return mcp.tool(name=name)(f)\n    return wrap\n@scale_tool('weigh')\ndef other(stone: str):\n    'Weighs'\n",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "an own decorator of another module",
            &[
                (
                    "app/s.py",
                    "from .deco import scale_tool\n@scale_tool(name='weigh')\ndef other(stone: str):\n    'Weighs'\n",
                ),
                (
                    "app/deco.py",
                    "def scale_tool(name):\n    def wrap(f):\n        server.add_tool(f, name=name)\n        return f\n    return wrap\n",
                ),
            ],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "a base class",
            &[(
                "s.py",
                "from mcp import types\nclass Scale(BaseTool):\n    name = 'weigh'\n    description = 'Weighs'\n    def run(self, stone: str): pass\n",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "a base class of another module",
            &[
                (
                    "app/s.py",
                    "from .base import StoneTool\nclass Weigh(StoneTool):\n    name = 'weigh'\n    description = 'Weighs'\n    def execute(self, stone: str): pass\n",
                ),
                ("app/base.py", "from mcp import types\nclass StoneTool(MCPTool):\n    pass\n"),
            ],
            &["weigh: Weighs {stone: string}"],
        ),
    ]);
}

#[test]
fn low_level_lists() {
    check(&[
        (
            "a returned list",
            &[(
                "s.py",
                "@server.list_tools()\nasync def all():\n    return [types.Tool(name='weigh', description='Weighs', inputSchema={'type': 'object', 'properties': {'stone': {'type': 'string'}}, 'required': ['stone']}), types.Tool(name='count', description='Counts', inputSchema={'type': 'object'})]\n",
            )],
            &["count: Counts object", "weigh: Weighs {stone: string}"],
        ),
        (
            "a list of another module",
            &[
                ("app/s.py", "from .all import TOOLS\n@server.list_tools()\nasync def all():\n    return TOOLS\n"),
                (
                    "app/all.py",
                    "from mcp.types import Tool\nTOOLS = [Tool(name='weigh', description='Weighs', inputSchema={})]\n",
                ),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "a comprehension",
            &[(
                "s.py",
                "SPECS = [('weigh', 'Weighs'), ('count', 'Counts')]\n@server.list_tools()\nasync def all():\n    return [Tool(name=n, description=d, inputSchema={}) for n, d in SPECS]\n",
            )],
            &["count: Counts any", "weigh: Weighs any"],
        ),
        (
            "a comprehension over a dictionary",
            &[(
                "s.py",
                "SPECS = {'weigh': {'text': 'Weighs'}}\n@server.list_tools()\nasync def all():\n    return [Tool(name=n, description=s['text'], inputSchema={}) for n, s in SPECS.items()]\n",
            )],
            &["weigh: Weighs any"],
        ),
        (
            "an appended list",
            &[(
                "s.py",
                "@server.list_tools()\nasync def all():\n    found = []\n    found.append(Tool(name='weigh', description='Weighs', inputSchema={}))\n    return found\n",
            )],
            &["weigh: Weighs any"],
        ),
        (
            "lists that are joined",
            &[(
                "s.py",
                "from mcp.types import Tool\nA = [Tool(name='weigh', description='Weighs', inputSchema={})]\nB = [Tool(name='count', description='Counts', inputSchema={})]\n@server.list_tools()\nasync def all():\n    return A + [*B]\n",
            )],
            &["weigh: Weighs any", "count: Counts any"],
        ),
        (
            "an enumeration of names",
            &[(
                "s.py",
                "from enum import Enum\nclass Names(str, Enum):\n    WEIGH = 'weigh'\nx = Tool(name=Names.WEIGH.value, description='Weighs', inputSchema={})\n",
            )],
            &["weigh: Weighs any"],
        ),
        (
            "a dictionary",
            &[(
                "s.py",
                "TOOLS = [{'name': 'weigh', 'description': 'Weighs', 'inputSchema': {'type': 'object', 'properties': {'stone': {'type': 'string'}}}}]\n",
            )],
            &["weigh: Weighs {stone?: string}"],
        ),
        (
            "a table by name",
            &[("s.py", "TOOLS = {'weigh': {'description': 'Weighs', 'input_schema': {'type': 'object'}}}\n")],
            &["weigh: Weighs object"],
        ),
        (
            "a model's schema",
            &[(
                "s.py",
                "class P(BaseModel):\n    stone: str\nTool(name='weigh', description='Weighs', inputSchema=P.model_json_schema())\n",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "arguments by position",
            &[("s.py", "from mcp import types\nt = types.Tool('weigh', 'Weighs')\n")],
            &["weigh: Weighs"],
        ),
    ]);
}

#[test]
fn schemas_of_annotations() {
    check(&[
        (
            "fields",
            &[(
                "s.py",
                "@mcp.tool()\ndef f(a: Annotated[int, Field(description='n')], b: str = Field(description='e'), c: Annotated[str, 'plain'] = 'x'): pass\n",
            )],
            &["f {a: integer \"n\", b: string \"e\", c?: string \"plain\" = \"x\"}"],
        ),
        (
            "choices",
            &[(
                "s.py",
                "from enum import Enum\nfrom typing import Literal, Optional\nclass Unit(str, Enum):\n    G = 'g'\n    KG = 'kg'\n@mcp.tool()\ndef f(a: Literal['x', 'y'], b: Unit, c: Optional[int] = None, d: list[str] | None = None, e: int | str = 3): pass\n",
            )],
            &["f {a: [\"x\",\"y\"], b: [\"g\",\"kg\"], c?: integer, d?: [string], e?: integer | string = 3}"],
        ),
        (
            "a model",
            &[(
                "s.py",
                "class Stone(BaseModel):\n    name: str = Field(..., description='Its name')\n    size: float = 1.5\n@mcp.tool()\ndef f(stone: Stone): pass\n",
            )],
            &["f {stone: {name: string \"Its name\", size?: number = 1.5}}"],
        ),
        (
            "a model of another module with a base",
            &[
                (
                    "app/s.py",
                    "from .models import Stone\n@mcp.tool()\ndef f(stone: Stone, ctx: Context = None): pass\n",
                ),
                (
                    "app/models.py",
                    "from pydantic import BaseModel\nclass Thing(BaseModel):\n    name: str\nclass Stone(Thing):\n    size: int\n",
                ),
            ],
            &["f {stone: {name: string, size: integer}}"],
        ),
        (
            "a name that goes by what a function is called with",
            &[(
                "s.py",
                "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\ndef add(kind):\n    mcp.add_tool(f, name='read' if kind == 1 else 'write', description='Does it')\ndef f(): pass\nadd(1)\nadd(2)\n",
            )],
            &["read: Does it {}", "write: Does it {}"],
        ),
        (
            "a named type",
            &[
                ("app/s.py", "from .kinds import Name\n@mcp.tool()\ndef f(name: Name): pass\n"),
                ("app/kinds.py", "from typing import Annotated\nName = Annotated[str, Field(description='Who')]\n"),
            ],
            &["f {name: string \"Who\"}"],
        ),
        (
            "a text of a constant",
            &[(
                "s.py",
                "WHO = 'Who'\n@mcp.tool()\ndef f(name: str = Field(description=WHO), n: int = Field(3, description=f'{WHO} else')): pass\n",
            )],
            &["f {n?: integer \"Who else\" = 3, name: string \"Who\"}"],
        ),
    ]);
}

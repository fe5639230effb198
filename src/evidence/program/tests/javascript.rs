//! Idioms of JavaScript.

use super::check;

#[test]
fn methods_of_the_kits() {
    check(&[
        (
            "tool",
            &[("s.js", "server.tool('weigh', 'Weighs', { stone: z.string().describe('which') }, async () => {})")],
            &["weigh: Weighs {stone: string \"which\"}"],
        ),
        (
            "tool with annotations",
            &[(
                "s.js",
                "server.tool('drop', 'Drops', { n: z.number().int().optional(), k: z.enum(['a', 'b']).default('a') }, { destructiveHint: true }, cb)",
            )],
            &["drop: Drops {k?: [\"a\",\"b\"] = \"a\", n?: integer} {\"destructiveHint\":true}"],
        ),
        (
            "registerTool",
            &[(
                "s.js",
                "server.registerTool(`weigh`, { title: 'Scale', description: 'Wei' + 'ghs', inputSchema: { stone: z.string() } }, cb)",
            )],
            &["weigh [Scale]: Weighs {stone: string}"],
        ),
        (
            "addTool",
            &[(
                "s.js",
                "const NAME = 'weigh'; const S = z.object({ stone: z.string() }); s.addTool({ name: NAME, description: 'Weighs', parameters: S, execute: f })",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "setRequestHandler",
            &[(
                "s.js",
                "s.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [{ name: 'weigh', description: ['Wei', 'ghs'].join(''), inputSchema: zodToJsonSchema(z.object({ stone: z.string() })) }] }))",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "a minified call",
            &[(
                "s.js",
                "e.registerTool(\"weigh\",{description:\"Weighs\",inputSchema:{stone:n.string().describe(\"x\")}},async({stone:t})=>({}));",
            )],
            &["weigh: Weighs {stone: string \"x\"}"],
        ),
        (
            "a bundle",
            &[(
                "s.js",
                "var a=Object.defineProperty;var t=[{name:\"weigh\",description:\"Weighs\",inputSchema:{type:\"object\",properties:{stone:{type:\"string\"}},required:[\"stone\"]}}];e.setRequestHandler(ListToolsRequestSchema,async()=>({tools:t}));",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "a lone object",
            &[(
                "s.js",
                "export const t = { name: 'weigh', description: 'Weighs', inputSchema: { type: 'object', properties: { stone: { type: 'string' } } } }",
            )],
            &["weigh: Weighs {stone?: string}"],
        ),
        (
            "members of an object",
            &[(
                "s.js",
                "const t = { name: 'weigh', description: 'Weighs', schema: { stone: z.string() } }; server.tool(t.name, t.description, t.schema, cb)",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "a compiled enumeration",
            &[(
                "s.js",
                "var N; (function (N) { N[\"W\"] = \"weigh\"; })(N || (N = {})); var t = { name: N.W, description: 'Weighs', inputSchema: { stone: z.string() } }",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "a template",
            &[("s.js", "const U = 'grams'; server.tool(`weigh_${U}`, `Weighs in ${U}`, {}, cb)")],
            &["weigh_grams: Weighs in grams any"],
        ),
        (
            "a condition",
            &[("s.js", "server.tool('weigh', process.env.LONG ? 'Weighs' : 'Weighs with care', {}, cb)")],
            &["weigh: Weighs\n\nWeighs with care any"],
        ),
        ("a tagged text", &[("s.js", "server.tool('weigh', dedent`Weighs`, {}, cb)")], &["weigh: Weighs any"]),
    ]);
}

#[test]
fn modules_of_a_package() {
    check(&[
        (
            "an array of another module",
            &[
                (
                    "s.js",
                    "import { tools } from './tools.js'; s.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }))",
                ),
                (
                    "tools.js",
                    "export const tools = [{ name: 'weigh', description: 'Weighs', inputSchema: { type: 'object' } }]",
                ),
            ],
            &["weigh: Weighs object"],
        ),
        (
            "an object of another module",
            &[
                (
                    "s.js",
                    "import * as all from './all.js'; for (const t of Object.values(all)) server.registerTool(t.name, t.config, t.run)",
                ),
                (
                    "all.js",
                    "export const weigh = { name: 'weigh', config: { description: 'Weighs', inputSchema: {} }, run() {} }",
                ),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "a text that is exported again",
            &[
                ("s.js", "import { T } from './index.js'; server.tool('weigh', T, {}, cb)"),
                ("index.js", "export { W as T } from './w.js'"),
                ("w.js", "export const W = 'Weighs'"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "everything exported again",
            &[
                ("s.js", "import { W } from './texts/index.js'; server.tool('weigh', W, {}, cb)"),
                ("texts/index.js", "export * from './w.js'"),
                ("texts/w.js", "export const W = 'Weighs'"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "a default export",
            &[
                (
                    "s.js",
                    "import weigh from './weigh.js'; server.tool(weigh.name, weigh.description, weigh.schema, cb)",
                ),
                ("weigh.js", "export default { name: 'weigh', description: 'Weighs', schema: { stone: z.string() } }"),
            ],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "CommonJS",
            &[
                ("s.js", "const { T, name } = require('./w'); server.tool(name, T, {}, cb)"),
                ("w.js", "module.exports = { T: 'Weighs', name: 'weigh' }"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "CommonJS members",
            &[
                ("s.cjs", "const w = require('./w.cjs'); server.tool(w.NAME, w.TEXT, {}, cb)"),
                ("w.cjs", "exports.NAME = 'weigh'; exports.TEXT = 'Weighs'"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "an imported schema",
            &[
                (
                    "s.js",
                    "import { Stone } from './schemas.js'; server.registerTool('weigh', { description: 'Weighs', inputSchema: Stone.shape }, cb)",
                ),
                (
                    "schemas.js",
                    "import { z } from 'zod'; const Base = z.object({ id: z.number() }); export const Stone = Base.extend({ stone: z.string().describe('which') })",
                ),
            ],
            &["weigh: Weighs {id: number, stone: string \"which\"}"],
        ),
        (
            "a function that registers",
            &[
                ("s.js", "import { register } from './w.js'; register(server)"),
                ("w.js", "export function register(server) { server.tool('weigh', 'Weighs', {}, cb) }"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "a text of a file",
            &[
                (
                    "s.js",
                    "import { readFileSync } from 'fs'; import { join } from 'path'; const T = readFileSync(join(__dirname, 'w.md'), 'utf8'); server.tool('weigh', T, {}, cb)",
                ),
                ("w.md", "Weighs"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "texts of JSON",
            &[
                (
                    "s.js",
                    "import texts from './texts.json' with { type: 'json' }; server.tool('weigh', texts.weigh, {}, cb)",
                ),
                ("texts.json", "{\"weigh\": \"Weighs\"}"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "a module that is a tool",
            &[(
                "src/tools/weigh.js",
                "import { z } from 'zod'; export const metadata = { name: 'weigh', description: 'Weighs' }; export const schema = { stone: z.string() }; export default function weigh() {} // xmcp",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "a package of the workspace",
            &[
                ("packages/s/s.js", "import { T } from '@scale/texts'; server.tool('weigh', T, {}, cb)"),
                ("packages/texts/package.json", "{\"name\": \"@scale/texts\"}"),
                ("packages/texts/index.js", "export const T = 'Weighs'"),
            ],
            &["weigh: Weighs any"],
        ),
    ]);
}

#[test]
fn loops() {
    check(&[
        (
            "a list",
            &[(
                "s.js",
                "const all = [{ name: 'weigh', text: 'Weighs' }, { name: 'count', text: 'Counts' }]; for (const t of all) server.tool(t.name, t.text, {}, cb)",
            )],
            &["count: Counts any", "weigh: Weighs any"],
        ),
        (
            "forEach",
            &[(
                "s.js",
                "[['weigh', 'Weighs'], ['count', 'Counts']].forEach(([name, text]) => server.tool(name, text, {}, cb))",
            )],
            &["count: Counts any", "weigh: Weighs any"],
        ),
        (
            "entries",
            &[(
                "s.js",
                "const all = { weigh: 'Weighs' }; for (const [name, text] of Object.entries(all)) server.tool(name, text, {}, cb)",
            )],
            &["weigh: Weighs any"],
        ),
        (
            "keys",
            &[(
                "s.js",
                "const all = { weigh: 'Weighs' }; Object.keys(all).forEach(k => server.tool(k, all[k], {}, cb))",
            )],
            &["weigh: Weighs any"],
        ),
        (
            "a map",
            &[(
                "s.js",
                "const all = new Map([['weigh', 'Weighs']]); for (const [name, text] of all) server.tool(name, text, {}, cb)",
            )],
            &["weigh: Weighs any"],
        ),
        (
            "a map that is filled",
            &[(
                "s.js",
                "const all = new Map(); all.set('weigh', { description: 'Weighs', inputSchema: {} }); for (const [name, t] of all.entries()) server.registerTool(name, t, cb)",
            )],
            &["weigh: Weighs any"],
        ),
        (
            "JSON",
            &[
                ("s.js", "const all = require('./all.json'); all.forEach(t => server.tool(t.name, t.text, {}, cb))"),
                ("all.json", "[{\"name\": \"weigh\", \"text\": \"Weighs\"}]"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "a list that is mapped",
            &[(
                "s.js",
                "const all = ['weigh', 'count'].map(name => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' } })); s.setRequestHandler(ListToolsRequestSchema, () => ({ tools: all }))",
            )],
            &["count: Does count object", "weigh: Does weigh object"],
        ),
        (
            "lists that are joined",
            &[(
                "s.js",
                "const a = [{ name: 'weigh', inputSchema: {} }], b = [{ name: 'count', inputSchema: {} }]; s.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...a, ...b] }))",
            )],
            &["count any", "weigh any"],
        ),
    ]);
}

#[test]
fn functions_and_classes() {
    check(&[
        (
            "a wrapper",
            &[(
                "s.js",
                "function add(name, text, schema) { server.tool(name, text, schema, cb) } add('weigh', 'Weighs', {}); add('count', 'Counts', {})",
            )],
            &["count: Counts any", "weigh: Weighs any"],
        ),
        (
            "a wrapper method",
            &[(
                "s.js",
                "class Box { add(name, text) { this.server.registerTool(name, { description: text }, cb) } start() { this.add('weigh', 'Weighs') } }",
            )],
            &["weigh: Weighs"],
        ),
        (
            "a wrapper of another module",
            &[
                ("s.js", "import { add } from './add.js'; add(server, 'weigh', 'Weighs')"),
                ("add.js", "export const add = (server, name, text) => server.tool(name, text, {}, cb)"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "a factory",
            &[(
                "s.js",
                "const make = (name, text) => ({ name, description: text, inputSchema: { type: 'object' } }); s.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [make('weigh', 'Weighs')] }))",
            )],
            &["weigh: Weighs object"],
        ),
        (
            "fields of a class",
            &[(
                "s.js",
                "class Weigh extends MCPTool { name = 'weigh'; description = 'Weighs'; schema = { stone: z.string() } }",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "arguments of the base class",
            &[
                (
                    "s.js",
                    "import { BaseTool } from './base.js'; export class WeighTool extends BaseTool { constructor() { super({ name: 'weigh', description: 'Weighs' }) } }",
                ),
                (
                    "base.js",
                    "import { McpServer } from '@modelcontextprotocol/sdk'; export class BaseTool { constructor(given) { this.name = given.name; this.description = given.description } }",
                ),
            ],
            &["weigh: Weighs"],
        ),
        (
            "getters",
            &[(
                "s.js",
                "class WeighTool extends MCPTool { get name() { return 'weigh' } get description() { return 'Weighs' } }",
            )],
            &["weigh: Weighs"],
        ),
        (
            "an object of a class",
            &[(
                "s.js",
                "const t = new SearchTool({ name: 'weigh', description: 'Weighs', inputSchema: { type: 'object' } }); // mcpServer",
            )],
            &["weigh: Weighs object"],
        ),
    ]);
}

#[test]
fn schema_libraries() {
    check(&[
        (
            "zod",
            &[(
                "s.js",
                "server.tool('f', 'F', { a: z.string().min(1).optional(), b: z.array(z.number()), c: z.union([z.string(), z.number()]), d: z.literal('x'), e: z.object({ f: z.boolean() }), g: z.coerce.number().nullable(), h: z.record(z.string()) }, cb)",
            )],
            &["f: F {a?: string, b: [number], c: string | number, d: \"x\", e: {f: boolean}, g: number, h: object}"],
        ),
        (
            "functions of zod",
            &[(
                "s.js",
                "import { object, string } from 'zod'; server.registerTool('f', { inputSchema: object({ a: string() }) }, cb)",
            )],
            &["f {a: string}"],
        ),
        (
            "TypeBox",
            &[(
                "s.js",
                "import { Type } from '@sinclair/typebox'; server.addTool({ name: 'f', description: 'F', parameters: Type.Object({ a: Type.String({ description: 'which' }), b: Type.Optional(Type.Integer()) }), execute: g })",
            )],
            &["f: F {a: string \"which\", b?: integer}"],
        ),
        (
            "picked and partial",
            &[(
                "s.js",
                "const A = z.object({ a: z.string(), b: z.number() }); server.registerTool('f', { inputSchema: A.pick({ a: true }).partial() }, cb)",
            )],
            &["f {a?: string}"],
        ),
        (
            "a method that hands on what it was given",
            &[(
                "s.js",
                "class S extends McpServer { withAccess(access, ...args) { this.registerTool(args[0], { description: args[1] }, cb) } registerToolWithAccess(access, ...args) { this.withAccess(access, ...args) } addTool(...args) { this.registerToolWithAccess('read', ...args) } } new S().addTool('weigh', 'Weighs', cb)",
            )],
            &["weigh: Weighs"],
        ),
        (
            "arguments that are called like parts of a tool",
            &[(
                "s.js",
                "server.tool('f', 'F', { name: z.string(), description: z.string(), run: z.boolean(), stone: z.number() }, cb)",
            )],
            &["f: F {description: string, name: string, run: boolean, stone: number}"],
        ),
        (
            "an argument that is called like a title, also behind a wrapper of the server's own class",
            &[(
                "s.js",
                "class S extends McpServer { addToolForReaders(...args) { return McpServer.prototype.registerTool.call(this, args[0], { description: args[1], inputSchema: args[2] }, args[3]) } } const s = new S(); s.tool('f', 'F', { title: z.string(), n: z.number() }, cb); s.addToolForReaders('g', 'G', { title: z.string(), n: z.number() }, cb); s.addToolForReaders('h', 'H', { description: z.string() }, cb); s.tool('i', 'I', { title: 'It', readOnlyHint: true }, cb)",
            )],
            &[
                "f: F {n: number, title: string}",
                "g: G {n: number, title: string}",
                "h: H {description: string}",
                "i: I {\"readOnlyHint\":true,\"title\":\"It\"}",
            ],
        ),
        (
            "a name that goes by what a function is called with",
            &[(
                "s.js",
                "const add = (s, kind) => { const who = kind === 'read' ? 'reader' : 'writer'; s.registerTool(`a-${who}`, { description: kind !== 'read' ? 'Writes' : 'Reads' }, cb) }; const server = new McpServer({}); add(server, 'read'); add(server, 'write')",
            )],
            &["a-reader: Reads\n\nWrites", "a-writer: Writes\n\nReads"],
        ),
        (
            "a wrapper that is called as the kit's method is",
            &[(
                "s.js",
                "const server = new McpServer({}); const tool = (name, title, description, params, cb) => { server.registerTool(name, { title, description, inputSchema: params }, cb) }; tool('f', 'Eff', 'Does f.', { a: z.string() }, cb); tool('g', 'Gee', 'Does g.', {}, cb)",
            )],
            &["f [Eff]: Does f. {a: string}", "g [Gee]: Does g. any"],
        ),
        (
            "a spread",
            &[("s.js", "const base = { a: z.string() }; server.tool('f', 'F', { ...base, b: z.number() }, cb)")],
            &["f: F {a: string, b: number}"],
        ),
    ]);
}

//! Idioms of TypeScript.

use super::check;

#[test]
fn types_do_not_hide_what_is_registered() {
    check(&[
        (
            "an enumeration",
            &[(
                "s.ts",
                "enum Names { WEIGH = \"weigh\" } const t = { name: Names.WEIGH as const, description: \"Weighs\", inputSchema: { type: \"object\" } } satisfies Tool;",
            )],
            &["weigh: Weighs object"],
        ),
        (
            "an enumeration of another module",
            &[
                ("s.ts", "import { Names } from './names.js'; server.tool(Names.WEIGH, 'Weighs', {}, cb)"),
                ("names.ts", "export enum Names { WEIGH = 'weigh' }"),
            ],
            &["weigh: Weighs any"],
        ),
        (
            "markup",
            &[(
                "s.tsx",
                "server.registerTool(\"weigh\", { title: \"t\", description: `Weighs`, inputSchema: {} }, async () => <a/>)",
            )],
            &["weigh [t]: Weighs any"],
        ),
        (
            "a decorator",
            &[(
                "s.ts",
                "import { Tool } from '@rekog/mcp-nest'; @Injectable() export class Scale { @Tool({ name: 'weigh', description: 'Weighs', parameters: z.object({ stone: z.string() }) }) async weigh({ stone }: { stone: string }) {} }",
            )],
            &["weigh: Weighs {stone: string}"],
        ),
        (
            "a class with types",
            &[(
                "s.ts",
                "class WeighTool extends MCPTool<Input> { readonly name: string = 'weigh'; description = 'Weighs'; schema = { stone: { type: z.string(), description: 'which' } } }",
            )],
            &["weigh: Weighs {stone: string \"which\"}"],
        ),
        (
            "parameters of a constructor",
            &[(
                "s.ts",
                "class Named { constructor(public name: string, readonly description: string) {} } const t = new Named('weigh', 'Weighs'); server.tool(t.name, t.description, {}, cb)",
            )],
            &["weigh: Weighs any"],
        ),
        (
            "a typed list",
            &[
                (
                    "s.ts",
                    "import type { Tool } from '@modelcontextprotocol/sdk/types.js'; import { TOOLS } from '@/tools'; server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: TOOLS }))",
                ),
                ("src/tools/index.ts", "import { weigh } from './weigh.js'; export const TOOLS: Tool[] = [weigh]"),
                (
                    "src/tools/weigh.ts",
                    "export const weigh: Tool = { name: 'weigh', description: 'Weighs', inputSchema: { type: 'object' as const } }",
                ),
            ],
            &["weigh: Weighs object"],
        ),
        (
            "a built copy beside its source",
            &[
                ("package.json", "{\"name\": \"scale\", \"main\": \"dist/s.js\"}"),
                ("src/s.ts", "server.tool('weigh', 'Weighs', {}, cb)"),
                ("dist/s.js", "server.tool('weigh', 'Weighs', {}, cb)"),
            ],
            &["weigh: Weighs any"],
        ),
    ]);
}

/** The tools for the Vercel AI SDK (`ai`). */
import { jsonSchema, tool, type Tool, zodSchema } from 'ai';
import type { AgentTool, RunOptions, ToolOutput } from '../agent-tool.ts';

/**
 * The tools as `generateText` and `streamText` take them, by their names.
 *
 * A refusal is a result, also of arguments that do not fit: the model reads its reason and remedy.
 * A payment without a `request_id` gets the id of the tool call, so that a call which is executed
 * again pays once. Only the abort signal of the generation makes a tool throw.
 */
export function toAiSdkTools(
  tools: readonly AgentTool[],
  { onFault }: Pick<RunOptions, 'onFault'> = {},
): Record<string, Tool<unknown, ToolOutput>> {
  return Object.fromEntries(
    tools.map((one) => [
      one.name,
      tool({
        description: one.description,
        // The model gets the schema, and the tool itself checks the arguments.
        inputSchema: jsonSchema(() => zodSchema(one.inputSchema).jsonSchema, {
          validate: (value) => ({ success: true, value }),
        }),
        execute: (input: unknown, { toolCallId, abortSignal }) =>
          one.run(input, { callId: toolCallId, signal: abortSignal, onFault }),
      }),
    ]),
  );
}

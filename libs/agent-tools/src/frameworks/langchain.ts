/** The tools for LangChain (`@langchain/core`). */
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import type { z } from 'zod';
import type { AgentTool, RunOptions, ToolOutput } from '../agent-tool.ts';

/**
 * The tools as `bindTools` and agents take them. The content of their messages is JSON, and the
 * artifact is the output itself.
 *
 * A refusal is a result, also of arguments that do not fit: the model reads its reason and remedy.
 * A payment without a `request_id` gets the id of the tool call, so that a call which is invoked
 * again pays once. Only the signal of the run makes a tool throw.
 */
export function toLangChainTools(
  tools: readonly AgentTool[],
  { onFault }: Pick<RunOptions, 'onFault'> = {},
): StructuredToolInterface[] {
  return tools.map((one) =>
    tool(
      async (input: unknown, { toolCall, signal }): Promise<[string, ToolOutput]> => {
        const output = await one.run(input, { callId: toolCall?.id, signal, onFault });
        return [JSON.stringify(output), output];
      },
      {
        name: one.name,
        description: one.description,
        schema: describing(one.inputSchema),
        responseFormat: 'content_and_artifact',
      },
    ),
  );
}

/**
 * The schema for the model alone: arguments that do not fit pass, and the tool itself refuses them.
 * The description of a schema asks for the value without a context.
 */
function describing(schema: z.ZodType): z.ZodType {
  return schema.catch((context?: { readonly value: unknown }) => context?.value);
}

import type { AgentTool, ToolOutput } from '@agent-wallet/agent-tools';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import manifest from '../package.json' with { type: 'json' };

const INSTRUCTIONS =
  'These tools spend USDC from a wallet within the limits of its owner. Amounts are decimal ' +
  "strings of USDC such as '0.25'. Call get_limits first. Give every payment a request_id of its " +
  'own and repeat it when you repeat the call: the same request_id never pays twice. A refusal ' +
  'says in remedy what to do and in try_again whether to repeat the call.';

/** A server with these tools for one connection. `onFault` gets what the model is not told. */
export function createMcpServer(
  tools: readonly AgentTool[],
  onFault: (fault: unknown) => void,
): McpServer {
  const info = { name: 'agent-wallet', title: 'Agent wallet', version: manifest.version };
  const server = new McpServer(info, { instructions: INSTRUCTIONS });
  for (const tool of tools) {
    const { name, title, description, inputSchema, outputSchema } = tool;
    const annotations = { ...tool.annotations };
    server.registerTool(
      name,
      { title, description, inputSchema, outputSchema, annotations },
      async (input, { signal }) => toResult(await tool.run(input, { signal, onFault })),
    );
  }
  return server;
}

/** The text repeats the structured content, for clients that show a model nothing else. */
function toResult(output: ToolOutput): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(output) }],
    structuredContent: { ...output },
    isError: output.refusal !== null,
  };
}

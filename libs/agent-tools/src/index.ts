/** The tools with which a language model uses the wallet. */
export type { AgentTool, RunOptions, ToolAnnotations, ToolOutput } from './agent-tool.ts';
export { type AgentToolsOptions, createAgentTools } from './create-agent-tools.ts';
export type { Refusal } from './refusal/refusal.ts';

/**
 * The AI SDK's mock model, which plays the script of this process. Its last text is what it has
 * been told: the results of its calls, as JSON.
 */
import { MockLanguageModelV4 } from 'ai/test';
import { SCRIPT } from './script.ts';

let step = 0;

export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
    const reply = { usage: { inputTokens: none, outputTokens: none }, warnings: [] };
    const call = SCRIPT[step];
    step += 1;
    if (call !== undefined) {
      const { id: toolCallId, name: toolName, input } = call;
      return {
        ...reply,
        content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }],
        finishReason: { unified: 'tool-calls', raw: undefined },
      };
    }
    const told = prompt.flatMap(({ role, content }) =>
      role === 'tool' ? content.map((part) => ('output' in part ? part.output : part)) : [],
    );
    const text = JSON.stringify(told.map((one) => ('value' in one ? one.value : one)));
    const finishReason = { unified: 'stop' as const, raw: undefined };
    return { ...reply, content: [{ type: 'text', text }], finishReason };
  },
});

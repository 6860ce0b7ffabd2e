/** What the AI SDK gives its model, and when it calls a tool, against a scripted API. */
import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, it } from 'vitest';
import { API_KEY, refusal, type Scripted, scriptWallet } from '../../fixtures/scripted-wallet.ts';
import { createAgentTools } from '../create-agent-tools.ts';
import { toAiSdkTools } from './ai-sdk.ts';

const INPUT = { recipient: 'HWHvQhFmJB3NUcu1aihKmrKegfVxBEHzwVX6yZCKEsi1', amount: '0.25' };
const REFUSED = refusal(402, 'INSUFFICIENT_LIQUID');

/** A model that asks for one transfer, and then ends. */
function scriptModel(toolCallId: string): MockLanguageModelV4 {
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
  const rest = { usage: { inputTokens: none, outputTokens: none }, warnings: [] };
  const call = { toolCallId, toolName: 'transfer_usdc', input: JSON.stringify(INPUT) };
  return new MockLanguageModelV4({
    doGenerate: [
      {
        ...rest,
        content: [{ type: 'tool-call', ...call }],
        finishReason: { unified: 'tool-calls', raw: undefined },
      },
      {
        ...rest,
        content: [{ type: 'text', text: 'done' }],
        finishReason: { unified: 'stop', raw: undefined },
      },
    ],
  });
}

function start(responses: readonly Scripted[] = []) {
  const { wallet, sent } = scriptWallet(...responses);
  const faults: unknown[] = [];
  const onFault = (fault: unknown): void => void faults.push(fault);
  return { tools: toAiSdkTools(createAgentTools({ wallet }), { onFault }), sent, faults, wallet };
}

const settings = { prompt: 'pay', stopWhen: isStepCount(3) };

it('sends the id of the tool call where the model gives no request_id, of which it is asked', async () => {
  const model = scriptModel('toolu_01A09q90qw90lq917835lq9');
  const { tools, sent } = start([REFUSED]);
  const { steps } = await generateText({ ...settings, model, tools });
  expect(sent.map(({ key }) => key)).toEqual(['toolu_01A09q90qw90lq917835lq9']);
  expect(steps[0]?.toolResults[0]?.output).toMatchObject({ refusal: { try_again: 'no' } });
  const described = model.doGenerateCalls[0]?.tools?.find(({ name }) => name === 'transfer_usdc');
  expect(described).toMatchObject({
    inputSchema: { type: 'object', required: ['recipient', 'amount', 'request_id'] },
  });
});

it.each(['call_0', 'functions.transfer_usdc:0'])(
  'asks for a request_id where the id of the tool call is %s',
  async (id) => {
    const { tools, sent } = start();
    const { steps } = await generateText({ ...settings, model: scriptModel(id), tools });
    expect(sent).toEqual([]);
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({
      refusal: { code: 'INVALID_INPUT', reason: expect.stringContaining('request_id: ') },
    });
  },
);

it('waits for a person where the settings of the generation ask for one', async () => {
  const { tools, sent } = start();
  const toolApproval = { transfer_usdc: 'user-approval', pay_service: 'user-approval' } as const;
  const model = scriptModel('toolu_01A09q90qw90lq917835lq9');
  const { content } = await generateText({ ...settings, model, tools, toolApproval });
  expect(content.map(({ type }) => type)).toContain('tool-approval-request');
  expect(sent).toEqual([]);
});

it('tells a fault to the log and not to the model', async () => {
  const { wallet } = start();
  const fault = new Error(`quotes ${API_KEY}`);
  const broken = { ...wallet, transfer: () => Promise.reject(fault) };
  const faults: unknown[] = [];
  const tools = toAiSdkTools(createAgentTools({ wallet: broken }), {
    onFault: (thrown) => faults.push(thrown),
  });
  const model = scriptModel('toolu_01A09q90qw90lq917835lq9');
  await generateText({ ...settings, model, tools });
  expect(faults).toEqual([fault]);
  expect(JSON.stringify(model.doGenerateCalls)).toContain('TOOL_FAULT');
  expect(JSON.stringify(model.doGenerateCalls)).not.toContain(API_KEY);
});

/** What LangChain gives its model, and what its tools return, against a scripted API. */
import { ToolMessage } from '@langchain/core/messages';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { expect, it } from 'vitest';
import { refusal, type Scripted, scriptWallet } from '../../fixtures/scripted-wallet.ts';
import { createAgentTools } from '../create-agent-tools.ts';
import { toLangChainTools } from './langchain.ts';

const ARGS = { recipient: 'HWHvQhFmJB3NUcu1aihKmrKegfVxBEHzwVX6yZCKEsi1', amount: '0.25' };
const CALL = { name: 'transfer_usdc', type: 'tool_call', args: ARGS } as const;
const REFUSED = refusal(402, 'INSUFFICIENT_LIQUID');

function start(...responses: readonly Scripted[]) {
  const { wallet, sent } = scriptWallet(...responses);
  const tool = toLangChainTools(createAgentTools({ wallet })).find(
    ({ name }) => name === 'transfer_usdc',
  );
  if (tool === undefined) throw new Error('there is no tool');
  return { tool, sent };
}

it('describes the arguments to the model, with request_id among those that it must give', () => {
  expect(convertToOpenAITool(start().tool)).toMatchObject({
    function: {
      name: 'transfer_usdc',
      parameters: {
        type: 'object',
        properties: { amount: { type: 'string' } },
        required: ['recipient', 'amount', 'request_id'],
      },
    },
  });
});

it('sends the id of the tool call where the model gives no request_id', async () => {
  const { tool, sent } = start(REFUSED, REFUSED);
  const message: unknown = await tool.invoke({ ...CALL, id: 'call_Zf9qpLwq' });
  await tool.invoke({ ...CALL, id: 'call_other', args: { ...ARGS, request_id: 'invoice-17' } });
  expect(sent.map(({ key }) => key)).toEqual(['call_Zf9qpLwq', 'invoice-17']);
  expect(ToolMessage.isInstance(message)).toBe(true);
  expect(message).toMatchObject({
    tool_call_id: 'call_Zf9qpLwq',
    content: expect.stringContaining('"try_again":"no"'),
    artifact: { result: null, refusal: { code: 'INSUFFICIENT_LIQUID' } },
  });
});

it.each([
  ['without an id', CALL.args],
  ['with arguments that do not fit', { ...ARGS, amount: 0.25, request_id: 'invoice-17' }],
  ['with none', {}],
])('refuses a payment %s as a result, and sends nothing', async (_name, args) => {
  const { tool, sent } = start();
  const text: unknown = await tool.invoke(args);
  expect(text).toContain('"code":"INVALID_INPUT"');
  expect(sent).toEqual([]);
});

it('throws when the run is aborted', async () => {
  const signal = AbortSignal.abort(new Error('the user has left'));
  const call = start().tool.invoke({ ...CALL, id: 'call_Zf9qpLwq' }, { signal });
  await expect(call).rejects.toThrow('the user has left');
});

import { type Json, jsonSchema } from '../symbols.ts';
import { post, type Talk } from '../talk.ts';
import type { Chapter } from './chapter.ts';

/** An address without an account. */
const ADDRESS = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';

const call = (method: string, params: Json = [], id: Json = 1): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** JSON-RPC itself: batches, what is no call, what is no method. */
export const protocol: Chapter = {
  name: 'protocol',
  play: async (talk) => {
    const bodies: Readonly<Record<string, Json>> = {
      'a call': call('getHealth'),
      'a call with a text as its id': call('getHealth', [], 'one'),
      'a call with null as its id': call('getHealth', [], null),
      'a call without params': { jsonrpc: '2.0', id: 1, method: 'getHealth' },
      'a call with an object as its params': call('getHealth', {}),
      'a call with a text as its params': call('getHealth', 'text'),
      'a call without a version': { id: 1, method: 'getHealth' },
      'a call of another version': { jsonrpc: '1.0', id: 1, method: 'getHealth' },
      'a call without a method': { jsonrpc: '2.0', id: 1 },
      'a method that does not exist': call('getNothing'),
      'too few params': call('getBalance'),
      'too many params': call('getHealth', [1, 2, 3]),
      'a param of the wrong type': call('getBalance', [5]),
      'options of the wrong type': call('getBalance', [ADDRESS, 'confirmed']),
      'options with a field that does not exist': call('getBalance', [ADDRESS, { nothing: 1 }]),
      'null in place of options': call('getHealth', [null]),
      'a batch': [call('getHealth', [], 1), call('getNothing', [], 2), call('getBalance', [], 3)],
      'a batch of one': [call('getHealth')],
      'an empty batch': [],
      'a batch with what is no call': [call('getHealth'), 5],
      'a number': 5,
      'a text': 'text',
      null: null,
    };
    for (const [step, body] of Object.entries(bodies)) {
      await shown(talk, step, JSON.stringify(body));
    }
    await shown(talk, 'a body that is no JSON', '{"jsonrpc"');
    await shown(talk, 'an empty body', '');
    await shown(talk, 'a notification', JSON.stringify({ jsonrpc: '2.0', method: 'getHealth' }));
    await otherRequests(talk);
  },
};

async function shown(talk: Talk, step: string, body: string): Promise<void> {
  const { status, text } = await post(talk.chain.rpcUrl, body);
  talk.note(step, { status, body: parsed(text) });
}

function parsed(text: string): Json {
  try {
    return jsonSchema.parse(JSON.parse(text));
  } catch {
    return text;
  }
}

async function otherRequests(talk: Talk): Promise<void> {
  const { rpcUrl } = talk.chain;
  const body = JSON.stringify(call('getHealth'));
  const get = await fetch(rpcUrl);
  talk.note('GET', { status: get.status });
  const plain = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body,
  });
  talk.note('a body that is not called JSON', { status: plain.status });
  const charset = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body,
  });
  talk.note('a body with a charset', { status: charset.status });
}

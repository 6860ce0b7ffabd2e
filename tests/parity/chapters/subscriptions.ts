import { localProgramId } from '@agent-wallet/local-system/chain/chain-facts.ts';
import { z } from 'zod';
import { type Listening, listen, type Notification } from '../listen.ts';
import type { Json } from '../symbols.ts';
import type { Signed, Talk } from '../talk.ts';
import type { Chapter } from './chapter.ts';
import { pay, SOL, unknownInstruction } from './instructions.ts';

const SLOTS = 4;
const slotInfo = z.object({
  result: z.object({ slot: z.number(), parent: z.number(), root: z.number() }),
});

/** Notifications over WebSocket. */
export const subscriptions: Chapter = {
  name: 'subscriptions',
  play: async (talk) => {
    const payer = talk.key('subscription payer');
    await talk.fund(payer.publicKey, 10 * SOL);
    using listening = await listen(talk.chain.wsUrl);
    await slots(talk, listening);
    await signatures(talk, listening);
    await accounts(talk, listening);
    await logs(talk, listening);
    await refusals(talk, listening);
  },
};

const shownAs = (notifications: readonly Notification[]): Json =>
  notifications.map(({ method, result }) => ({ method, result }));

async function slots(talk: Talk, listening: Listening): Promise<void> {
  const subscription = await listening.subscribe('slotSubscribe', []);
  const shown = await listening.waitFor(subscription, SLOTS);
  talk.note('a slot', shownAs(shown.slice(0, 1)));
  const infos = shown.slice(0, SLOTS).map((one) => slotInfo.parse(one).result);
  talk.note(
    'slots follow each other',
    infos.every(({ slot }, nth) => nth === 0 || slot === (infos[nth - 1]?.slot ?? 0) + 1),
  );
  talk.note(
    'the parent is the slot before',
    infos.every(({ slot, parent }) => parent === slot - 1),
  );
  talk.note(
    'the root is at least 31 slots behind',
    infos.every(({ slot, root }) => slot - root >= 31),
  );
  talk.note('the end of slots', await listening.call('slotUnsubscribe', [subscription]));
  talk.note('the end of slots, twice', await listening.call('slotUnsubscribe', [subscription]));
}

function transfer(talk: Talk, name: string, to: string, fails = false): Promise<Signed> {
  const payer = talk.key('subscription payer');
  return talk.sign({
    name,
    payer,
    instructions: [
      pay(payer.publicKey, talk.key(to).publicKey, SOL),
      ...(fails ? [unknownInstruction()] : []),
    ],
  });
}

async function signatures(talk: Talk, listening: Listening): Promise<void> {
  const good = await transfer(talk, 'a watched transfer', 'subscription a');
  const bad = await transfer(talk, 'a watched failure', 'subscription b', true);
  const watched: { readonly step: string; readonly subscription: number }[] = [];
  for (const [what, { signature }] of Object.entries({ good, bad })) {
    for (const commitment of ['processed', 'confirmed', 'finalized']) {
      const params = [signature, { commitment }];
      const subscription = await listening.subscribe('signatureSubscribe', params);
      watched.push({ step: `a ${what} signature at ${commitment}`, subscription });
    }
  }
  const ended = await listening.subscribe('signatureSubscribe', [good.signature]);
  talk.note(
    'the end of a signature that has not landed',
    await listening.call('signatureUnsubscribe', [ended]),
  );
  await talk.send(good);
  await talk.send(bad);
  await talk.landed(good, 'finalized');
  await talk.landed(bad, 'finalized');
  for (const { step, subscription } of watched) {
    talk.note(step, shownAs(await listening.waitFor(subscription, 1)));
  }
  const first = watched[0]?.subscription ?? 0;
  talk.note(
    'the end of a signature that was shown',
    await listening.call('signatureUnsubscribe', [first]),
  );
  talk.note('a signature that nobody waits for', shownAs(listening.shownBy(ended)));
  const late = await listening.subscribe('signatureSubscribe', [good.signature]);
  talk.note('a signature that has landed', shownAs(await listening.waitFor(late, 1)));
}

async function accounts(talk: Talk, listening: Listening): Promise<void> {
  const address = talk.key('subscription account').publicKey.toBase58();
  const watched = new Map<string, number>();
  for (const commitment of ['processed', 'confirmed', 'finalized']) {
    const params = [address, { encoding: 'base64', commitment }];
    watched.set(commitment, await listening.subscribe('accountSubscribe', params));
  }
  const first = await transfer(talk, 'a payment to a watched account', 'subscription account');
  await talk.send(first);
  await talk.landed(first, 'finalized');
  for (const [commitment, subscription] of watched) {
    talk.note(`an account at ${commitment}`, shownAs(await listening.waitFor(subscription, 1)));
    talk.note(
      `the end of an account at ${commitment}`,
      await listening.call('accountUnsubscribe', [subscription]),
    );
  }
  const second = await transfer(talk, 'a later payment to the account', 'subscription account');
  await talk.send(second);
  await talk.landed(second, 'finalized');
  for (const [commitment, subscription] of watched) {
    talk.note(`notifications in all at ${commitment}`, listening.shownBy(subscription).length);
  }
}

async function logs(talk: Talk, listening: Listening): Promise<void> {
  const payer = talk.key('subscription payer').publicKey.toBase58();
  const filters: Readonly<Record<string, Json>> = {
    'logs that name the payer': { mentions: [payer] },
    'logs that name our program': { mentions: [localProgramId()] },
    'logs that name nobody here': {
      mentions: [talk.key('subscription nobody').publicKey.toBase58()],
    },
  };
  const watched = new Map<string, number>();
  for (const [what, filter] of Object.entries(filters)) {
    const params = [filter, { commitment: 'confirmed' }];
    watched.set(what, await listening.subscribe('logsSubscribe', params));
  }
  const good = await transfer(talk, 'a transfer with logs', 'subscription c');
  await talk.send(good);
  await talk.landed(good, 'finalized');
  const bad = await transfer(talk, 'a failure with logs', 'subscription c', true);
  await talk.send(bad);
  await talk.landed(bad, 'finalized');
  for (const [what, subscription] of watched) {
    talk.note(what, shownAs(listening.shownBy(subscription)));
    talk.note(`the end of ${what}`, await listening.call('logsUnsubscribe', [subscription]));
  }
}

async function refusals(talk: Talk, listening: Listening): Promise<void> {
  const calls: Readonly<Record<string, readonly [string, Json]>> = {
    'a signature that is none': ['signatureSubscribe', ['abc']],
    'an account that is none': ['accountSubscribe', ['abc']],
    'logs of nothing': ['logsSubscribe', ['nothing']],
    'logs of two addresses': [
      'logsSubscribe',
      [{ mentions: [localProgramId(), localProgramId()] }],
    ],
    'a subscription that does not exist': ['nothingSubscribe', []],
    'the end of an unknown subscription': ['accountUnsubscribe', [999_999]],
    'no signature': ['signatureSubscribe', []],
  };
  for (const [what, [method, params]] of Object.entries(calls)) {
    const answer = await listening.call(method, params);
    const isAccepted = z.object({ result: z.number() }).safeParse(answer).success;
    talk.note(what, isAccepted ? { result: '<subscription>' } : answer);
  }
}

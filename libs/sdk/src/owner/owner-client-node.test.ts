/** What the client does through the RPC node that the owner has named. */
import { createOwnerTransactions, createWalletProgram } from '@agent-wallet/chain';
import { Keypair } from '@solana/web3.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { newSigner, type OwnerScript, scriptOwner } from '../../fixtures/scripted-owner.ts';
import { reply } from '../../fixtures/scripted-api.ts';
import { DEVNET } from './transaction/addresses.ts';

const RPC = 'https://rpc.example.com/';

const fresh = (): string => Keypair.generate().publicKey.toBase58();
const signer = newSigner();
const program = createWalletProgram(DEVNET);
const recipient = fresh();
const transactions = createOwnerTransactions(
  program,
  async () => ({ blockhash: fresh() }),
  () => Date.now(),
);

const script = (replies: OwnerScript, rpcUrl?: string) =>
  scriptOwner(signer, replies, {
    timeOfDayMs: Date.now(),
    ...(rpcUrl === undefined ? {} : { rpcUrl }),
  });

beforeEach(() => void signer.signed.splice(0));

const transaction = (txBase64: Promise<string>) => async () =>
  reply(200, { txBase64: await txBase64 });

describe('recipients', () => {
  const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  const others = [fresh(), fresh()];
  const ask = async (value: readonly unknown[], rpcUrl?: string) => {
    const { client, sent } = script(
      { getMultipleAccounts: [() => reply(200, { result: { value } })] },
      rpcUrl,
    );
    return { missing: await client.recipientsWithoutAccount([recipient, ...others]), sent };
  };

  it('without a token account are told by the RPC node', async () => {
    const { missing, sent } = await ask([{ owner: TOKEN }, null, { owner: fresh() }], RPC);
    expect(missing).toEqual(others);
    expect(sent[0]?.body).toMatchObject({
      params: [[recipient, ...others].map((wallet) => program.addresses.usdcAta(wallet)), {}],
    });
  });

  it('are not taken for missing when the node does not say, or there is none', async () => {
    await expect(ask([null], RPC)).rejects.toMatchObject({ code: 'NO_REPLY' });
    await expect(ask([null, null, null])).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

const status = (value: unknown) => () => reply(200, { result: { value: [value] } });

describe('sending', () => {
  const pause = {
    'POST /v1/wallet/pause': [transaction(transactions.setPaused(signer.address, true))],
  };
  const sendWith = async (replies: OwnerScript) =>
    (await script({ ...pause, ...replies }, RPC).client.pause()).sendAndConfirm();

  it('waits until the chain has confirmed, also when the reply of the node was lost', async () => {
    const { tx_signature } = await sendWith({
      sendTransaction: [() => reply(502, null)],
      getSignatureStatuses: [
        status(null),
        status({ err: null, confirmationStatus: 'processed' }),
        status({ err: null, confirmationStatus: 'confirmed' }),
      ],
    });
    expect(tx_signature).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
  });

  it('finds bytes again that the chain already has, instead of taking them for refused', async () => {
    const { client, sent } = script(
      {
        ...pause,
        sendTransaction: [() => reply(502, null)],
        getSignatureStatuses: [
          () => reply(502, null),
          status({ err: null, confirmationStatus: 'finalized' }),
        ],
      },
      RPC,
    );
    const checked = await client.pause();
    const signed = await checked.sign();
    const early = checked.send(signed, { timeoutMs: 1 });
    await expect(early).rejects.toMatchObject({ code: 'PENDING' });
    await expect(checked.send(signed)).resolves.toHaveProperty('tx_signature');
    expect(signer.signed).toHaveLength(1);
    expect(sent.filter(({ operation }) => operation === 'sendTransaction')).toHaveLength(1);
    const other = checked.bytes;
    await expect(checked.send(other)).rejects.toMatchObject({ code: 'SIGNED_MISMATCH' });
  });

  it('needs an rpcUrl', async () => {
    const { client } = script(pause);
    const checked = await client.pause();
    await expect(checked.sendAndConfirm()).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(signer.signed).toEqual([]);
  });
});

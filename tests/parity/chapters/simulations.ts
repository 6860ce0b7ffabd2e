import { localProgramId } from '@agent-wallet/local-system/chain/chain-facts.ts';
import type { Json } from '../symbols.ts';
import type { Chapter } from './chapter.ts';
import { pay, SOL, unknownInstruction } from './instructions.ts';

/** Simulations with every option. */
export const simulations: Chapter = {
  name: 'simulations',
  play: async (talk) => {
    const payer = talk.key('simulation payer');
    const payee = talk.key('simulation payee').publicKey;
    const nobody = talk.key('simulation nobody').publicKey;
    await talk.fund(payer.publicKey, 10 * SOL);
    const good = await talk.sign({
      name: 'a simulated transfer',
      payer,
      instructions: [pay(payer.publicKey, payee, SOL)],
    });
    const versioned = await talk.sign({
      name: 'a simulated versioned transfer',
      payer,
      instructions: [pay(payer.publicKey, payee, SOL)],
      version: 0,
    });
    const bad = await talk.sign({
      name: 'a simulated failure',
      payer,
      instructions: [pay(payer.publicKey, payee, SOL), unknownInstruction()],
    });
    const common = { encoding: 'base64', commitment: 'confirmed' };
    const simulate = (
      step: string,
      base64: string,
      options: { [key: string]: Json },
    ): Promise<Json> => talk.ask(step, 'simulateTransaction', [base64, { ...common, ...options }]);
    const payeeAddress = payee.toBase58();
    await simulate('a good one', good.base64, {});
    await simulate('a versioned one', versioned.base64, {});
    await simulate('a bad one', bad.base64, {});
    await simulate('with sigVerify', good.base64, { sigVerify: true });
    await simulate('with a new blockhash', good.base64, { replaceRecentBlockhash: true });
    await simulate('with sigVerify and a new blockhash', good.base64, {
      sigVerify: true,
      replaceRecentBlockhash: true,
    });
    await simulate('with inner instructions', good.base64, { innerInstructions: true });
    await simulate(
      'with accounts',
      good.base64,
      accounts([payeeAddress, payer.publicKey.toBase58()]),
    );
    await simulate('with accounts in base64', good.base64, accounts([payeeAddress], 'base64'));
    await simulate(
      'with accounts in jsonParsed',
      good.base64,
      accounts([payeeAddress], 'jsonParsed'),
    );
    await simulate('with accounts in base58', good.base64, accounts([payeeAddress], 'base58'));
    await simulate(
      'with accounts in base64+zstd',
      good.base64,
      accounts([payeeAddress], 'base64+zstd'),
    );
    await simulate('with accounts of a failure', bad.base64, accounts([payeeAddress], 'base64'));
    await simulate(
      'with an account that does not exist',
      good.base64,
      accounts([nobody.toBase58()], 'base64'),
    );
    await simulate(
      'with an account that the transaction does not name',
      good.base64,
      accounts([localProgramId()], 'base64'),
    );
    await simulate('with no accounts', good.base64, accounts([]));
    await simulate('with an address that is none', good.base64, accounts(['abc'], 'base64'));
    await simulate(
      'with too many accounts',
      good.base64,
      accounts(
        Array.from({ length: 8 }, () => payeeAddress),
        'base64',
      ),
    );
    await simulate('with a minimum slot in the future', good.base64, {
      minContextSlot: 4_000_000_000,
    });
    await simulate('with a minimum slot in the past', good.base64, { minContextSlot: 1 });
    await talk.ask('nothing that was simulated happened', 'getBalance', [
      payer.publicKey.toBase58(),
      { commitment: 'processed' },
    ]);
    await talk.ask('no simulation has a status', 'getSignatureStatuses', [
      [good.signature, bad.signature],
    ]);
  },
};

const accounts = (addresses: string[], encoding?: string): { [key: string]: Json } => ({
  accounts: { addresses, ...(encoding === undefined ? {} : { encoding }) },
});

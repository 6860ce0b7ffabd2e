import { createWalletProgram, reserveOnChain, SANDBOX_RESERVE } from '@agent-wallet/chain';
import { Keypair } from '@solana/web3.js';
import { expect, it, test } from 'vitest';
import { z } from 'zod';
import idlFile from '../../../../../program/idl/agent_wallet.json' with { type: 'json' };
import { DEVNET, deriveAddresses, LOCAL, sessionPdaOf, tokenAccountOf } from './addresses.ts';
import { PROGRAM_INSTRUCTIONS } from './program-instructions.ts';

/** What is compared; the type of the file differs from instruction to instruction. */
const idl = z
  .object({
    address: z.string(),
    instructions: z.array(
      z.object({
        name: z.string(),
        discriminator: z.array(z.number()),
        args: z.array(z.object({ name: z.string(), type: z.unknown() })),
        accounts: z.array(
          z.object({
            name: z.string(),
            writable: z.boolean().default(false),
            signer: z.boolean().default(false),
            address: z.string().optional(),
          }),
        ),
      }),
    ),
  })
  .parse(idlFile);

const typeOf = (type: unknown): unknown => {
  if (typeof type === 'string') return type;
  return JSON.stringify(type) === '{"array":["u8",16]}' ? 'bytes16' : 'pubkeys';
};

it.each(Object.entries(PROGRAM_INSTRUCTIONS))('%s has the form of the IDL', (name, form) => {
  const described = idl.instructions.find((instruction) => instruction.name === name);
  expect(form.discriminator).toEqual(described?.discriminator);
  expect(form.args).toEqual(described?.args.map((arg) => [arg.name, typeOf(arg.type)]));
  const accounts = described?.accounts.map((account) => {
    const rights = [account.writable ? 'writable' : '', account.signer ? 'signer' : ''];
    return [account.name, rights.join(' ').trim() || 'readonly'];
  });
  const last = [
    ['event_authority', 'readonly'],
    ['program', 'readonly'],
  ];
  expect([...form.accounts, ...last]).toEqual(accounts);
});

const DEVNET_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkrZBG';

test('the deployments are those of the IDL, with the reserves that the service uses', () => {
  const mint = idl.instructions
    .flatMap(({ accounts }) => accounts)
    .find(({ name }) => name === 'usdc_mint');
  expect(DEVNET).toMatchObject({ programId: idl.address, usdcMint: mint?.address });
  expect(LOCAL).toMatchObject({ programId: idl.address, usdcMint: mint?.address });
  expect(DEVNET.reserve).toEqual(reserveOnChain(DEVNET_GENESIS));
  expect(LOCAL.reserve).toEqual(SANDBOX_RESERVE);
});

test('addresses are those that the service derives', async () => {
  const { addresses } = createWalletProgram(DEVNET);
  for (let owners = 0; owners < 50; owners += 1) {
    const owner = Keypair.generate().publicKey.toBase58();
    const key = Keypair.generate().publicKey.toBase58();
    const vault = addresses.vaultPda(owner);
    const yieldAuthority = addresses.yieldPda(vault);
    expect(await deriveAddresses(DEVNET, owner)).toEqual({
      owner,
      ownerUsdcAta: addresses.usdcAta(owner),
      vault,
      vaultUsdcAta: addresses.usdcAta(vault),
      yieldAuthority,
      yieldUsdcAta: addresses.usdcAta(yieldAuthority),
      eventAuthority: addresses.eventAuthority,
    });
    expect(await sessionPdaOf(DEVNET, vault, key)).toBe(addresses.sessionPda(vault, key));
    expect(await tokenAccountOf(vault, key)).toBe(addresses.ata(vault, key));
  }
});

import { z } from 'zod';
import { SAMPLE } from './fields/samples.ts';

/** What a client has to know about a deployment before it signs in. */
export const configAnswer = z
  .object({
    api_version: z.string(),
    cluster: z.enum(['devnet', 'mainnet']).describe('Every test network is called devnet.'),
    genesis_hash: z.string().describe('Tells one chain from another.'),
    program_id: z.string(),
    usdc_mint: z.string(),
    idl_url: z.string().describe("The program's interface description, below the API's address."),
    rpc_url: z
      .string()
      .nullable()
      .describe('RPC endpoint for browsers; null where the operator names none.'),
    explorer_url: z
      .string()
      .nullable()
      .describe(
        'Page of a block explorer: `{kind}` stands for tx or address, `{id}` for the signature or the address. Null where the operator names none.',
      ),
    yield_enabled: z.boolean(),
    agent_extensions: z.boolean().describe('Whether there are limits, quotes and services.'),
  })
  .meta({
    id: 'Config',
    description: 'The deployment.',
    examples: [
      {
        api_version: '0.1.0',
        cluster: 'devnet',
        genesis_hash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
        program_id: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
        usdc_mint: SAMPLE.mint,
        idl_url: '/v1/config/idl',
        rpc_url: 'https://rpc.example.com',
        explorer_url: 'https://explorer.example.com/{kind}/{id}?cluster=devnet',
        yield_enabled: false,
        agent_extensions: false,
      },
    ],
  });

/** The program's IDL in Anchor's form. */
export const idlAnswer = z
  .looseObject({
    address: z.string().describe('The program_id of the deployment.'),
    metadata: z.looseObject({ name: z.string(), version: z.string(), spec: z.string() }),
    instructions: z.array(z.looseObject({ name: z.string() })),
  })
  .meta({
    description: 'The IDL in the form of Anchor.',
    examples: [
      {
        address: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
        metadata: { name: 'agent_wallet', version: '0.2.0', spec: '0.1.0' },
        instructions: [{ name: 'transfer_usdc' }],
      },
    ],
  });

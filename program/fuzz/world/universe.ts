import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  PublicKey,
  SystemProgram,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_INSTRUCTIONS_PUBKEY,
} from '@solana/web3.js';
import { EVENT_AUTHORITY } from '../../tests/support/call.ts';
import { keypair, PROGRAM_ID, USDC_MINT } from '../../tests/support/chain.ts';
import { RESERVE_PROGRAM_ID, reserveAccounts } from '../../tests/support/reserve.ts';

/** An address, by its place in {@link Universe.addresses}. */
export type Id = number;

/** The addresses of one owner. */
export type WalletIds = {
  readonly owner: Id;
  readonly vault: Id;
  readonly vaultBump: number;
  readonly vaultTokens: Id;
  readonly yieldAuthority: Id;
  readonly yieldBump: number;
  readonly transit: Id;
  readonly collateral: Id;
  /** A USDC token account of the owner other than the associated one. */
  readonly ownerSpare: Id;
};

/** A place for a token account that is no associated one, or of a mint that is not USDC. */
export type Stray = { readonly id: Id; readonly wallet: Id; readonly mint: Id };

/** Every address that steps may name, and their relations. */
export type Universe = {
  readonly addresses: readonly Uint8Array[];
  readonly names: readonly string[];
  /** Addresses with a known key; only these sign. */
  readonly people: readonly Id[];
  readonly payer: Id;
  readonly admin: Id;
  readonly wallets: readonly WalletIds[];
  readonly sessionKeys: readonly Id[];
  /** Wallets that may be paid, including program addresses. */
  readonly recipients: readonly Id[];
  /** The program never creates an account here. */
  readonly forged: readonly Id[];
  readonly tokenAccounts: readonly Id[];
  /** Mints that the program does not use for vaults, or not at every address. */
  readonly strayMints: readonly Id[];
  /** Where strangers may leave tokens for a vault or its yield authority. */
  readonly strays: readonly Stray[];
  readonly sessions: readonly Id[];
  readonly fixed: Fixed;
  readonly vaultOf: (owner: Id) => { readonly id: Id; readonly bump: number } | undefined;
  readonly sessionOf: (
    vault: Id,
    key: Id,
  ) => { readonly id: Id; readonly bump: number } | undefined;
  readonly yieldOf: (vault: Id) => { readonly id: Id; readonly bump: number } | undefined;
  /** The associated token account. */
  readonly tokensOf: (wallet: Id, mint: Id) => Id | undefined;
  /** The bump of an associated token account. */
  readonly bumpOf: (tokens: Id) => number;
};

/** Addresses that are the same in all universes. */
type Fixed = Readonly<Record<(typeof FIXED)[number][0], Id>>;

const WALLETS = 3;
const SESSION_KEYS = 4;
const RECIPIENTS = 11;
const FORGED = 6;

const FIXED = [
  ['system', SystemProgram.programId],
  ['program', PROGRAM_ID],
  ['tokenProgram', TOKEN_PROGRAM_ID],
  ['token2022', TOKEN_2022_PROGRAM_ID],
  ['associatedTokenProgram', ASSOCIATED_TOKEN_PROGRAM_ID],
  ['instructionsSysvar', SYSVAR_INSTRUCTIONS_PUBKEY],
  ['clockSysvar', SYSVAR_CLOCK_PUBKEY],
  ['eventAuthority', EVENT_AUTHORITY],
  ['usdc', USDC_MINT],
  ['otherMint', keypair('another mint').publicKey],
  ['newMint', keypair('a mint of Token-2022').publicKey],
  ['nativeMint', NATIVE_MINT],
  ['reserveProgram', RESERVE_PROGRAM_ID],
  ['market', reserveAccounts.lending_market],
  ['marketAuthority', reserveAccounts.lending_market_authority],
  ['reserve', reserveAccounts.reserve],
  ['reserveSupply', reserveAccounts.reserve_liquidity_supply],
  ['collateralMint', reserveAccounts.reserve_collateral_mint],
  ['reserveCollateral', reserveAccounts.reserve_collateral_supply],
] as const;

/** The same addresses for the same label; another label yields other keys and bumps. */
export function createUniverse(label: string): Universe {
  const addresses: Uint8Array[] = [];
  const names: string[] = [];
  const places = new Map<string, Id>();
  const add = (name: string, key: PublicKey): Id => {
    const known = places.get(key.toBase58());
    if (known !== undefined) return known;
    places.set(key.toBase58(), addresses.length);
    names.push(name);
    return addresses.push(key.toBytes()) - 1;
  };
  const keyOf = (id: Id): PublicKey => new PublicKey(addresses[id] ?? []);
  const person = (name: string): Id => add(name, keypair(`${label} ${name}`).publicKey);

  const ids = FIXED.map(([name, key]) => [name, add(name, key)] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the list
  const fixed = Object.fromEntries(ids) as Fixed;
  const { otherMint, newMint, collateralMint, nativeMint } = fixed;
  const strayMints = [otherMint, newMint, collateralMint, nativeMint];
  const vaults = new Map<Id, { id: Id; bump: number }>();
  const yields = new Map<Id, { id: Id; bump: number }>();
  const sessions = new Map<string, { id: Id; bump: number }>();
  const tokens = new Map<string, Id>();
  const bumps = new Map<Id, number>();
  const addTokens = (wallet: Id, mint: Id, name: string): Id => {
    const program = mint === fixed.newMint ? TOKEN_2022_PROGRAM_ID : TOKEN_PROGRAM_ID;
    const seeds = [keyOf(wallet), program, keyOf(mint)].map((key) => key.toBuffer());
    const [key, bump] = PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM_ID);
    const id = add(name, key);
    tokens.set(`${wallet} ${mint}`, id);
    bumps.set(id, bump);
    return id;
  };
  const strays: Stray[] = [];
  const addStray = (wallet: Id, mint: Id, name: string): void => {
    strays.push({ id: person(name), wallet, mint });
  };
  const addDerived = (name: string, ...seeds: readonly [string, ...PublicKey[]]) => {
    const { address, bump } = derived(...seeds);
    return { id: add(name, address), bump };
  };

  const payer = person('payer');
  const admin = person('admin');
  addTokens(admin, fixed.usdc, 'admin.usdc');
  addTokens(admin, fixed.collateralMint, 'admin.collateral');
  const sessionKeys = times(SESSION_KEYS, (place) => person(`key${place}`));
  const wallets = times(WALLETS, (place): WalletIds => {
    const name = 'ABC'.charAt(place);
    const owner = person(name);
    const vault = addDerived(`${name}.vault`, 'vault', keyOf(owner));
    vaults.set(owner, vault);
    const authority = addDerived(`${name}.yield`, 'yield', keyOf(vault.id));
    yields.set(vault.id, authority);
    for (const key of [...sessionKeys, fixed.system, fixed.eventAuthority, vault.id]) {
      const label2 = `${name}.${names[key] ?? ''}`;
      const one = addDerived(label2, 'session', keyOf(vault.id), keyOf(key));
      sessions.set(`${vault.id} ${key}`, one);
    }
    addTokens(owner, fixed.usdc, `${name}.usdc`);
    for (const mint of strayMints) {
      addTokens(owner, mint, `${name}.${names[mint] ?? ''}`);
      addTokens(vault.id, mint, `${name}.vault.${names[mint] ?? ''}`);
    }
    addTokens(authority.id, fixed.otherMint, `${name}.yield.other`);
    addStray(vault.id, fixed.usdc, `${name}.stray.usdc`);
    addStray(vault.id, fixed.newMint, `${name}.stray.new`);
    addStray(authority.id, fixed.collateralMint, `${name}.stray.collateral`);
    return {
      owner,
      vault: vault.id,
      vaultBump: vault.bump,
      vaultTokens: addTokens(vault.id, fixed.usdc, `${name}.vault.usdc`),
      yieldAuthority: authority.id,
      yieldBump: authority.bump,
      transit: addTokens(authority.id, fixed.usdc, `${name}.transit`),
      collateral: addTokens(authority.id, fixed.collateralMint, `${name}.collateral`),
      ownerSpare: person(`${name}.spare`),
    };
  });
  const payees = times(RECIPIENTS, (place) => person(`payee${place}`));
  for (const payee of payees) {
    addTokens(payee, fixed.usdc, `${names[payee] ?? ''}.usdc`);
    addTokens(payee, fixed.otherMint, `${names[payee] ?? ''}.other`);
  }
  for (const key of sessionKeys) addTokens(key, fixed.usdc, `${names[key] ?? ''}.usdc`);
  const forged = times(FORGED, (place) => person(`forged${place}`));
  const spares = wallets.map(({ ownerSpare }) => ownerSpare);
  return {
    addresses,
    names,
    people: [payer, admin, ...sessionKeys, ...wallets.map(({ owner }) => owner), ...payees],
    payer,
    admin,
    wallets,
    sessionKeys,
    recipients: [
      ...payees,
      ...sessionKeys,
      ...wallets.flatMap(({ owner, vault, yieldAuthority }) => [owner, vault, yieldAuthority]),
    ],
    forged,
    tokenAccounts: [
      ...tokens.values(),
      ...spares,
      ...strays.map(({ id }) => id),
      fixed.reserveSupply,
      fixed.reserveCollateral,
    ],
    strayMints,
    strays,
    sessions: [...sessions.values()].map(({ id }) => id),
    fixed,
    vaultOf: (owner) => vaults.get(owner),
    sessionOf: (vault, key) => sessions.get(`${vault} ${key}`),
    yieldOf: (vault) => yields.get(vault),
    tokensOf: (wallet, mint) => tokens.get(`${wallet} ${mint}`),
    bumpOf: (id) => bumps.get(id) ?? 0,
  };
}

function derived(first: string, ...rest: readonly PublicKey[]) {
  const seeds = [Buffer.from(first), ...rest.map((key) => key.toBuffer())];
  const [address, bump] = PublicKey.findProgramAddressSync(seeds, PROGRAM_ID);
  return { address, bump };
}

function times<T>(count: number, make: (place: number) => T): T[] {
  return Array.from({ length: count }, (_, place) => make(place));
}

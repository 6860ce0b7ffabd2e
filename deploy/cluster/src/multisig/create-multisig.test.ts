import { expect, test } from 'vitest';
import { CREATION } from '../../fixtures/multisig-bytes.ts';
import { multisigCreateInstruction } from './create-multisig.ts';

test('the creation of a multisig is that of the package of Squads', () => {
  const { members, treasury, createKey, creator } = CREATION;
  const made = multisigCreateInstruction(
    { members, threshold: 2 },
    { treasury, createKey, creator },
  );
  expect(made.data.toString('base64')).toBe(CREATION.data);
  expect(
    made.keys.map(({ pubkey, isSigner, isWritable }) => [
      pubkey.toBase58(),
      `${isWritable ? 'w' : ''}${isSigner ? 's' : ''}`,
    ]),
  ).toEqual(CREATION.accounts);
});

// Node 22 does not find this export of a CommonJS module by its name, but on its default one.
// oxlint-disable import/default, import/no-named-as-default-member
import anchor from '@coral-xyz/anchor';

/** The big number of the IDL coder. Its library has no types. */
export const { BN } = anchor;

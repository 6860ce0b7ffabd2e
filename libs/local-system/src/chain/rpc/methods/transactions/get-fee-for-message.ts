import { z } from 'zod';
import { feeOf } from '../../../engine/transactions/fee.ts';
import { MalformedTransaction } from '../../../engine/transactions/wire-reader.ts';
import { parseMessage, type WireMessage } from '../../../engine/transactions/wire-transaction.ts';
import { method } from '../../method.ts';
import { bankOf, contextConfig } from '../../params.ts';
import { invalidParams } from '../../rpc-error.ts';
import { decode } from '../../transaction-param.ts';
import { withContext } from '../../with-context.ts';

/** Null when the blockhash of the message is not valid. */
export const getFeeForMessage = method(
  z.tuple([z.string(), contextConfig.nullish()]),
  (chain, [text, config]) => {
    const message = readMessage(text);
    const bank = bankOf(chain, config);
    const isValid = chain.isBlockhashValid(message.blockhash, bank.commitment);
    return withContext(bank, isValid ? feeOf(message) : null);
  },
);

function readMessage(text: string): WireMessage {
  try {
    return parseMessage(decode(text, 'base64'));
  } catch (error) {
    if (!(error instanceof MalformedTransaction)) throw error;
    throw invalidParams(`failed to deserialize the message: ${error.message}`);
  }
}

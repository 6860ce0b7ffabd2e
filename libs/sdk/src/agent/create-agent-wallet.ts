import { systemClock } from '../http/time-limit.ts';
import { type AgentWallet, type AgentWalletOptions, createAgentWalletOn } from './agent-wallet.ts';

/**
 * The client of one API key. Sends nothing by itself. Throws `BAD_REQUEST` for a `url` that is not
 * an http or https URL.
 */
export function createAgentWallet(options: AgentWalletOptions): AgentWallet {
  return createAgentWalletOn(systemClock, options);
}

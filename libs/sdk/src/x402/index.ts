/** The agent's wallet for those who have the client of `@x402/fetch`. */
export {
  registerAgentWallet,
  type X402Client,
  type X402HttpClient,
} from './register-agent-wallet.ts';

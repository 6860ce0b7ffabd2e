#!/usr/bin/env node
import { createAgentTools } from '@agent-wallet/agent-tools';
import { untilSignal } from '@agent-wallet/process/signals';
import { createAgentWallet } from '@agent-wallet/sdk';
import { createMcpServer } from './create-mcp-server.ts';
import { serveHttp } from './http/serve-http.ts';
import { createLog } from './log.ts';
import { serveStdio } from './serve-stdio.ts';
import { LOOPBACK, parseMcpSettings, type Settings } from './settings.ts';

async function run(settings: Settings): Promise<void> {
  const { AGENT_WALLET_URL: url, AGENT_WALLET_KEY: apiKey, MCP_HOST: host } = settings;
  const log = createLog([apiKey, settings.MCP_TOKEN]);
  const wallet = createAgentWallet({ url, apiKey });
  const tools = createAgentTools({ wallet, maxAmount: settings.AGENT_WALLET_MAX_AMOUNT });
  const createServer = () => createMcpServer(tools, log.fault);
  const stopped = untilSignal();
  if (settings.MCP_TRANSPORT === 'stdio') {
    const serving = await serveStdio(createServer());
    log.line('serves stdio');
    log.line(await Promise.race([serving.ended, stopped]));
    return serving.close();
  }
  const serving = await serveHttp(
    createServer,
    {
      host,
      port: settings.MCP_PORT,
      hosts: [...LOOPBACK, ...settings.MCP_ALLOWED_HOSTS],
      token: settings.MCP_TOKEN ?? null,
    },
    log.fault,
  );
  log.line(`serves ${serving.url}`);
  log.line(await stopped);
  return serving.close();
}

try {
  await run(parseMcpSettings(process.env));
} catch (error) {
  // A setting that is wrong, or an address that is taken: one sentence.
  console.error(error instanceof Error ? error.message : 'agent-wallet-mcp: failed');
  process.exitCode = 1;
}

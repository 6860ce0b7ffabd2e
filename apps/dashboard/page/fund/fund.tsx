import { useEffect, useRef, useState } from 'preact/hooks';
import { Amount } from '../design/content/amount.tsx';
import { amountText } from '../design/content/amount-text.ts';
import { Card } from '../design/content/card.tsx';
import { Copyable } from '../design/controls/copyable.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { useSettings } from '../owner/deployment.tsx';
import { useVault } from '../owner/vault-context.tsx';
import { QrCode } from './qr-code.tsx';
import './fund.css';

/** Where to send USDC, and the balance as it changes. */
export const Fund = () => {
  const { wallet } = useVault();
  const { cluster, usdcMint } = useSettings();
  const received = useReceived(wallet.liquid);
  return (
    <>
      <h1>Fund the vault</h1>
      <div class="fund">
        <Card title="Send USDC to this address">
          <div class="fund-address">
            <QrCode text={wallet.vaultUsdcAta} label="The address as a QR code" />
            <div class="fund-facts">
              <Copyable value={wallet.vaultUsdcAta} name="the address for USDC" />
              <p class="soft">
                The USDC account of your vault on Solana {cluster}. Send only USDC with the mint{' '}
                <Copyable value={usdcMint} name="the mint of USDC" isShort /> to it.
              </p>
              <p class="soft">
                This browser derived the address from your wallet’s address, and it matches the one
                that the service returned.
              </p>
            </div>
          </div>
        </Card>
        <Card title="In the vault">
          <Amount baseUnits={wallet.liquid} size="large" />
          <div class="fund-news" aria-live="polite">
            {received === 0n ? (
              <p class="soft">The balance updates by itself.</p>
            ) : (
              <Notice kind="positive" title={`${amountText(received)} USDC received.`} />
            )}
          </div>
        </Card>
      </div>
    </>
  );
};

/** What has arrived since the view was opened, in base units. */
function useReceived(liquid: bigint | null): bigint {
  const last = useRef(liquid);
  const [received, setReceived] = useState(0n);
  useEffect(() => {
    if (liquid === null) return;
    const before = last.current ?? liquid;
    if (liquid > before) setReceived((sum) => sum + liquid - before);
    last.current = liquid;
  }, [liquid]);
  return received;
}

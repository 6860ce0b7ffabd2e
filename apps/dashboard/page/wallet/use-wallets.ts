import { getWallets } from '@wallet-standard/app';
import { useEffect, useState } from 'preact/hooks';
import { isSolanaWallet, type SolanaWallet } from './solana-wallet.ts';

const registry = getWallets();
const usable = (): readonly SolanaWallet[] => registry.get().filter(isSolanaWallet);

/** The wallets that this browser offers, in the order in which they registered. */
export function useWallets(): readonly SolanaWallet[] {
  const [wallets, setWallets] = useState(usable);
  useEffect(() => {
    const update = () => setWallets(usable());
    const offs = [registry.on('register', update), registry.on('unregister', update)];
    update();
    return () => offs.forEach((off) => off());
  }, []);
  return wallets;
}

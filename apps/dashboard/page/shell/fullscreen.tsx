import type { ComponentChildren } from 'preact';
import { Brand } from './brand.tsx';
import './fullscreen.css';

/** A page without navigation: for what comes before the wallet's views. */
export const Fullscreen = ({ children }: { readonly children: ComponentChildren }) => (
  <main class="fullscreen">
    <Brand />
    {children}
  </main>
);

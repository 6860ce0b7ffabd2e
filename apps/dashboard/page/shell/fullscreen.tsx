import type { ComponentChildren } from 'preact';
import { Skeleton } from '../design/feedback/skeleton.tsx';
import { Brand } from './brand.tsx';
import './fullscreen.css';

/** A page without navigation: for what comes before the wallet's views. */
export const Fullscreen = ({
  children,
  isLoading = false,
}: {
  readonly children?: ComponentChildren;
  readonly isLoading?: boolean;
}) => (
  <main class="fullscreen">
    <Brand />
    {isLoading ? (
      <div role="status" aria-label="Loading">
        <Skeleton height="12rem" />
      </div>
    ) : (
      children
    )}
  </main>
);

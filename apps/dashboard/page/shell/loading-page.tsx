import { Skeleton, SkeletonRows } from '../design/feedback/skeleton.tsx';
import { isAnybodySignedIn } from '../owner/signed-in.ts';
import { Frame } from './frame.tsx';
import { Fullscreen } from './fullscreen.tsx';

/** While it is not known yet what the page will show: its outline, so that nothing jumps. */
export const LoadingPage = () => {
  if (!isAnybodySignedIn()) return <Fullscreen>{null}</Fullscreen>;
  return (
    <Frame>
      <Skeleton width="11rem" height="2.1rem" />
      <SkeletonRows count={2} height="14rem" />
    </Frame>
  );
};

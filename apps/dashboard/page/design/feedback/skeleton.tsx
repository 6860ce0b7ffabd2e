import './skeleton.css';

/** Holds the place of content that is loading. `width` and `height` are those of the content. */
export const Skeleton = ({
  width = '100%',
  height = '1em',
}: {
  readonly width?: string;
  readonly height?: string;
}) => <span class="skeleton" style={{ width, height }} aria-hidden="true" />;

/** Several lines of a loading table or list, announced once as loading. */
export const SkeletonRows = ({ count, height = '2.75rem' }: { count: number; height?: string }) => (
  <div class="skeleton-rows" role="status" aria-label="Loading">
    {Array.from({ length: count }, (_, index) => (
      <Skeleton key={index} height={height} />
    ))}
  </div>
);

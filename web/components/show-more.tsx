/** The way to the rest of a list. */
export function ShowMore({ onMore }: { readonly onMore: () => void }) {
  return (
    <div>
      <button type="button" class="button" onClick={onMore}>
        Show more
      </button>
    </div>
  );
}

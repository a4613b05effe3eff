/** An icon of lucide, from its SVG text. Hidden from screen readers: words beside it say the same. */
export function Icon({ svg }: { readonly svg: string }) {
  return <span class="icon" aria-hidden="true" dangerouslySetInnerHTML={{ __html: svg }} />;
}

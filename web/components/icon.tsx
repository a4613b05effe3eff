/** An icon of lucide's, from its SVG text. Decoration: what it stands for is said in words beside it. */
export function Icon({ svg }: { readonly svg: string }) {
  return <span class="icon" aria-hidden="true" dangerouslySetInnerHTML={{ __html: svg }} />;
}

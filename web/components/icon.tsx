import { h } from "preact";
import { useMemo } from "preact/hooks";

const ELEMENT = /<([a-z]+)((?:\s+[\w-]+="[^"]*")*)\s*\/?>/g;
const ATTRIBUTE = /([\w-]+)="([^"]*)"/g;

/**
 * An icon of lucide, from its SVG text: one element with shapes in it. They are made one by one, because the page's
 * policy lets no text become markup. Hidden from screen readers: words beside it say the same.
 */
export function Icon({ svg }: { readonly svg: string }) {
  const drawing = useMemo(() => {
    const [outer, ...shapes] = Array.from(svg.matchAll(ELEMENT), ([, name = "", attributes = ""]) => ({
      name,
      attributes: Object.fromEntries(
        Array.from(attributes.matchAll(ATTRIBUTE), ([, key = "", value = ""]) => [key, value]),
      ),
    }));
    return h(
      "svg",
      outer?.attributes ?? {},
      shapes.map(({ name, attributes }) => h(name, attributes)),
    );
  }, [svg]);
  return (
    <span class="icon" aria-hidden="true">
      {drawing}
    </span>
  );
}

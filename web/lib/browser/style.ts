import { useLayoutEffect } from "preact/hooks";

/** Adds a style sheet to the page while the component is there: of what is loaded on demand, as that is. */
export function useStyle(css: string): void {
  useLayoutEffect(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  }, [css]);
}

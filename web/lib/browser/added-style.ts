import { useLayoutEffect } from "preact/hooks";

/** Has the page use a style that came with the script of a part of it, while that is shown. @param css always the same */
export function useAddedStyle(css: string): void {
  useLayoutEffect(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets.push(sheet);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  }, [css]);
}

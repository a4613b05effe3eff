/** From U+00A0 on, one after the other. */
const LATIN_1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr " +
  "deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest " +
  "Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml " +
  "ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig " +
  "agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml " +
  "eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** Each character and its name. */
const OTHERS =
  "& amp < lt > gt \" quot ' apos | vert | verbar * ast _ lowbar ` grave # num \\ bsol [ lsqb ] rsqb { lcub } rcub " +
  "– ndash — mdash ‘ lsquo ’ rsquo ‚ sbquo “ ldquo ” rdquo „ bdquo ‹ lsaquo › rsaquo † dagger ‡ Dagger • bull " +
  "… hellip ‰ permil ′ prime ″ Prime € euro ™ trade Œ OElig œ oelig Š Scaron š scaron Ÿ Yuml ƒ fnof ˆ circ ˜ tilde " +
  "← larr ↑ uarr → rarr ↓ darr ↔ harr ⇐ lArr ⇒ rArr ⇔ hArr ↵ crarr ✓ check ✗ cross ★ starf ☆ star ♠ spades ♣ clubs " +
  "♥ hearts ♦ diams ∀ forall ∂ part ∃ exist ∅ empty ∇ nabla ∈ isin ∉ notin ∏ prod ∑ sum − minus √ radic ∞ infin " +
  "∧ and ∨ or ∩ cap ∪ cup ∫ int ∴ there4 ∼ sim ≈ asymp ≠ ne ≡ equiv ≤ le ≥ ge ⊂ sub ⊃ sup ⊆ sube ⊇ supe ⋅ sdot " +
  "Α Alpha Β Beta Γ Gamma Δ Delta Ε Epsilon Ζ Zeta Η Eta Θ Theta Ι Iota Κ Kappa Λ Lambda Μ Mu Ν Nu Ξ Xi Ο Omicron " +
  "Π Pi Ρ Rho Σ Sigma Τ Tau Υ Upsilon Φ Phi Χ Chi Ψ Psi Ω Omega α alpha β beta γ gamma δ delta ε epsilon ζ zeta " +
  "η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi ο omicron π pi ρ rho ς sigmaf σ sigma τ tau υ upsilon " +
  "φ phi χ chi ψ psi ω omega";

const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN_1.split(" ").map((name, at) => [name, String.fromCodePoint(0xa0 + at)] as const),
  ...Array.from(
    OTHERS.matchAll(/(\S) (\S+)/g),
    ([, character = "", name = ""]) => [name, character] as const,
  ),
  ["ensp", "\u2002"],
  ["emsp", "\u2003"],
  ["thinsp", "\u2009"],
  ["zwnj", "\u200c"],
  ["zwj", "\u200d"],
]);

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,31}));/g;

/**
 * A text with its entity and numeric character references replaced (CommonMark 0.31.2, section 2.5). Of the
 * 2,125 names of HTML it knows those that people write, all of HTML 4 among them but a few; others stay as they are.
 */
export function decodeReferences(text: string): string {
  return text.replaceAll(REFERENCE, (reference, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? reference;
    return characterOf(decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal));
  });
}

function characterOf(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}

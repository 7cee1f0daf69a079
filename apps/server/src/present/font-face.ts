/** Returns the style that loads the console's font. @param path the font file's path on this server */
export const fontFace = (path: string): string =>
  `@font-face{font-family:"Geist Variable";font-weight:100 900;font-display:swap;src:url(${path}) format("woff2")}`;

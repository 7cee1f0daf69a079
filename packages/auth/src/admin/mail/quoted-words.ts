/** Columns of a quoted line. Mail programs break longer ones, and what they break off would stand unmarked. */
const width = 72;

/**
 * Words of a tenant in one line of ours, between quotation marks that they cannot close: no line ends, no control or
 * format characters (which turn the direction of text, or hide), no quotation marks.
 */
export function quotedLine(words: string, maximum: number): string {
  const plain = readable(words).replaceAll(/["“”„‟«»″〝〞＂❝❞]/gu, "'");
  return `"${cut(plain.replaceAll(/\s+/gu, ' ').trim(), maximum)}"`;
}

/** Words of a tenant as a block in which every line is marked as theirs. */
export function quotedBlock(words: string): string {
  const lines = words
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => readable(line).replaceAll(/\s+/gu, ' ').trim())
    // Empty ones in a row are one.
    .filter((line, index, all) => line !== '' || all[index - 1] !== '');
  return lines
    .flatMap(wrapped)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Every control and format character becomes a space. */
function readable(words: string): string {
  return words.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}

/** By code points, so that no character is cut in two. */
function cut(text: string, maximum: number): string {
  const characters = [...text];
  return characters.length <= maximum ? text : `${characters.slice(0, maximum - 1).join('')}…`;
}

function wrapped(line: string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if ([...joined].length <= width) {
      current = joined;
      continue;
    }
    if (current !== '') lines.push(current);
    let rest = [...word];
    while (rest.length > width) {
      lines.push(rest.slice(0, width).join(''));
      rest = rest.slice(width);
    }
    current = rest.join('');
  }
  return [...lines, current];
}

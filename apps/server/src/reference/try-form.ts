import { html } from '../present/html.ts';
import { formFields } from './form-fields.ts';
import type { Operation, Parameter } from './operations.ts';

/**
 * Returns a form that sends the operation to this server. It is hidden until the page's script, which it
 * needs, shows it.
 */
export function tryForm({ method, path, needs, parameters, body }: Operation): string {
  const credentials = [
    ...(needs.application ? [secret('application', 'ApplicationToken')] : []),
    ...(needs.caller ? [secret('token', 'Access token')] : []),
  ];
  const kept =
    credentials.length === 0
      ? ''
      : '<p class="bounds">Kept in this tab until it is closed, and sent only to this server.</p>';
  const fields = parameters.map(field).join('');
  const content =
    body === undefined
      ? ''
      : `<label>Body <textarea data-body rows="12" spellcheck="false" autocapitalize="off">${html(
          body.type === 'application/json'
            ? JSON.stringify(body.example, undefined, 2)
            : formFields(body.example).join('\n'),
        )}</textarea></label>`;
  return `<form id="try" hidden data-method="${method}" data-path="${html(path)}" data-type="${html(body?.type ?? '')}"><h2>Try it</h2><p class="notice">This sends a real request to this server.</p>${credentials.join('')}${kept}${fields}${content}<p><button type="submit">Send</button> <button type="button" data-stop hidden>Stop</button></p><div data-answer hidden><h3 role="status"></h3><pre tabindex="0"><code></code></pre></div></form>`;
}

const secret = (name: string, text: string) =>
  `<label>${text} <input type="password" data-credential="${name}" autocomplete="off" required></label>`;

function field({ name, place, required, schema }: Parameter): string {
  const data = `data-in="${html(place)}" data-name="${html(name)}"${required ? ' required' : ''}`;
  const values = Array.isArray(schema.enum) ? schema.enum : schema.type === 'boolean' ? [true, false] : [];
  const text = `${html(name)}${required ? '' : ' <span class="type">optional</span>'}`;
  const hint = 'default' in schema ? ` placeholder="${html(String(schema.default))}"` : '';
  return values.length === 0
    ? `<label>${text} <input ${data}${hint} autocomplete="off"></label>`
    : `<label>${text} <select ${data}><option value="">–</option>${values.map((value) => `<option>${html(String(value))}</option>`).join('')}</select></label>`;
}

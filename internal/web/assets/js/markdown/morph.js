// @ts-check
/**
 * Makes an element like another one with as few changes as may be: what is
 * the same stays in the document, with its selection and its focus.
 *
 * @template {Element} E
 * @param {E} from an element in the document
 * @param {E} to what it should be like; is used up
 * @returns {E} the element that now stands there
 */
export function morph(from, to) {
  if (from.nodeName !== to.nodeName || from.namespaceURI !== to.namespaceURI) {
    from.replaceWith(to);
    return to;
  }
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name)) from.removeAttribute(name);
  for (const { name, value } of [...to.attributes]) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  const wanted = [...to.childNodes];
  let node = from.firstChild;
  for (const next of wanted) {
    if (!node) {
      from.append(next);
      continue;
    }
    const following = node.nextSibling;
    if (node instanceof Element && next instanceof Element) morph(node, next);
    else if (node instanceof Text && next instanceof Text) write(node, next.data);
    else from.replaceChild(next, node);
    node = following;
  }
  while (node) {
    const following = node.nextSibling;
    node.remove();
    node = following;
  }
  return from;
}

/**
 * Text that only grew is appended to, which leaves a selection in it alone.
 * @param {Text} node
 * @param {string} data
 */
function write(node, data) {
  if (node.data === data) return;
  if (data.startsWith(node.data)) node.appendData(data.slice(node.data.length));
  else node.data = data;
}

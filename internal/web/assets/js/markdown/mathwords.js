// @ts-check
/** The words of TeX that are known, and the characters that they stand for. */

/** Letters: set upright where they are capitals of Greek, slanted else. */
export const letters = /** @type {Record<string, string>} */ ({
  alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ϵ', varepsilon: 'ε', zeta: 'ζ', eta: 'η', theta: 'θ', vartheta: 'ϑ',
  iota: 'ι', kappa: 'κ', lambda: 'λ', mu: 'μ', nu: 'ν', xi: 'ξ', pi: 'π', varpi: 'ϖ', rho: 'ρ', varrho: 'ϱ', sigma: 'σ', varsigma: 'ς',
  tau: 'τ', upsilon: 'υ', phi: 'ϕ', varphi: 'φ', chi: 'χ', psi: 'ψ', omega: 'ω', Gamma: 'Γ', Delta: 'Δ', Theta: 'Θ', Lambda: 'Λ',
  Xi: 'Ξ', Pi: 'Π', Sigma: 'Σ', Upsilon: 'Υ', Phi: 'Φ', Psi: 'Ψ', Omega: 'Ω', hbar: 'ℏ', ell: 'ℓ', Re: 'ℜ', Im: 'ℑ', aleph: 'ℵ',
  infty: '∞', emptyset: '∅', varnothing: '∅', partial: '∂', nabla: '∇', imath: 'ı', jmath: 'ȷ', degree: '°',
});

/** Operators and relations. */
export const operators = /** @type {Record<string, string>} */ ({
  times: '×', div: '÷', cdot: '⋅', ast: '∗', star: '⋆', pm: '±', mp: '∓', oplus: '⊕', otimes: '⊗', circ: '∘', bullet: '•',
  leq: '≤', le: '≤', geq: '≥', ge: '≥', neq: '≠', ne: '≠', approx: '≈', equiv: '≡', sim: '∼', simeq: '≃', cong: '≅', propto: '∝',
  ll: '≪', gg: '≫', in: '∈', notin: '∉', ni: '∋', subset: '⊂', subseteq: '⊆', supset: '⊃', supseteq: '⊇', cup: '∪', cap: '∩',
  setminus: '∖', land: '∧', wedge: '∧', lor: '∨', vee: '∨', neg: '¬', lnot: '¬', forall: '∀', exists: '∃', to: '→', rightarrow: '→',
  leftarrow: '←', gets: '←', leftrightarrow: '↔', Rightarrow: '⇒', implies: '⟹', Leftarrow: '⇐', Leftrightarrow: '⇔', iff: '⟺',
  mapsto: '↦', longrightarrow: '⟶', uparrow: '↑', downarrow: '↓', ldots: '…', dots: '…', cdots: '⋯', vdots: '⋮', ddots: '⋱',
  mid: '∣', parallel: '∥', perp: '⊥', angle: '∠', triangle: '△', therefore: '∴', because: '∵', prime: '′', colon: ':',
  langle: '⟨', rangle: '⟩', lfloor: '⌊', rfloor: '⌋', lceil: '⌈', rceil: '⌉', lvert: '|', rvert: '|', lVert: '‖', rVert: '‖',
  vert: '|', Vert: '‖', lbrace: '{', rbrace: '}', lbrack: '[', rbrack: ']', '{': '{', '}': '}', '|': '‖', '%': '%', '#': '#', '&': '&', _: '_', $: '$',
});

/** Operators that take their limits above and below in a display. */
export const large = /** @type {Record<string, string>} */ ({
  sum: '∑', prod: '∏', coprod: '∐', int: '∫', iint: '∬', iiint: '∭', oint: '∮', bigcup: '⋃', bigcap: '⋂', bigoplus: '⨁', bigotimes: '⨂',
});

/** Names of functions, set upright; those with true take limits below. */
export const functions = /** @type {Record<string, boolean>} */ ({
  sin: false, cos: false, tan: false, cot: false, sec: false, csc: false, arcsin: false, arccos: false, arctan: false, sinh: false, cosh: false,
  tanh: false, log: false, ln: false, lg: false, exp: false, deg: false, dim: false, ker: false, arg: false, gcd: true, det: true, Pr: true,
  lim: true, limsup: true, liminf: true, max: true, min: true, sup: true, inf: true,
});

/** Marks above a letter. */
export const accents = /** @type {Record<string, string>} */ ({
  hat: '^', widehat: '^', bar: '¯', overline: '¯', tilde: '~', widetilde: '~', vec: '→', overrightarrow: '→', dot: '˙', ddot: '¨', check: 'ˇ', overbrace: '⏞',
});

/** Spaces, in ems. */
export const spaces = /** @type {Record<string, number>} */ ({
  ',': 0.17, ':': 0.22, ';': 0.28, '!': -0.17, ' ': 0.33, quad: 1, qquad: 2, thinspace: 0.17, enspace: 0.5,
});

/** Styles of letters, as MathML's mathvariant maps them: code points of the first capital, small letter and digit. */
export const alphabets = /** @type {Record<string, [number, number, number]>} */ ({
  mathbf: [0x1d400, 0x1d41a, 0x1d7ce], boldsymbol: [0x1d400, 0x1d41a, 0x1d7ce], bm: [0x1d400, 0x1d41a, 0x1d7ce],
  mathbb: [0x1d538, 0x1d552, 0x1d7d8], mathcal: [0x1d4d0, 0x1d4ea, 0], mathscr: [0x1d4d0, 0x1d4ea, 0], mathfrak: [0x1d56c, 0x1d586, 0],
  mathsf: [0x1d5a0, 0x1d5ba, 0x1d7e2], mathtt: [0x1d670, 0x1d68a, 0x1d7f6],
});

/** Letters that the double-struck alphabet has elsewhere. */
export const doubled = /** @type {Record<string, string>} */ ({ C: 'ℂ', H: 'ℍ', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' });

/** Environments of rows and columns, with the brackets around them. */
export const grids = /** @type {Record<string, [string, string]>} */ ({
  matrix: ['', ''], pmatrix: ['(', ')'], bmatrix: ['[', ']'], Bmatrix: ['{', '}'], vmatrix: ['|', '|'], Vmatrix: ['‖', '‖'], smallmatrix: ['', ''],
  cases: ['{', ''], aligned: ['', ''], align: ['', ''], 'align*': ['', ''], alignedat: ['', ''], gathered: ['', ''], gather: ['', ''], split: ['', ''],
  array: ['', ''], equation: ['', ''], 'equation*': ['', ''],
});

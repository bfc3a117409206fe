/** The part of plotly.js that the scripts use: its figures, and pictures of them. */

/** A colour axis' stops: a position from 0 to 1 and a colour `#rrggbb`. */
export type ColourScale = [number, string][];

export interface ColourBar {
  title?: { text?: string };
  orientation?: "v" | "h";
  dtick?: number;
  labelalias?: Record<string, string>;
  tickvals?: ArrayLike<number>;
  ticktext?: string[];
}

export interface ColourAxis {
  cmin: number;
  cmax: number;
  colorscale: ColourScale;
  colorbar?: ColourBar;
}

/** An axis as Python's figure describes it. The range of a logarithmic axis is in powers of ten. */
export interface AxisLayout {
  range?: ArrayLike<number>;
  /** "log"; else linear. */
  type?: string;
  tickmode?: "array" | "linear" | "auto";
  tickvals?: ArrayLike<number>;
  ticktext?: string[];
  tick0?: number;
  /** On a logarithmic axis in powers of ten. */
  dtick?: number;
  nticks?: number;
  /** "d": whole numbers only. */
  tickformat?: string;
  /** "SI": k, M, m, µ instead of powers of ten. */
  exponentformat?: string;
  ticksuffix?: string;
  labelalias?: Record<string, string>;
  showgrid?: boolean;
  showticklabels?: boolean;
  title?: { text?: string };
  /** The ends in fractions of the figure. */
  domain?: [number, number];
  /** The other axis of its panel. */
  anchor?: string;
  overlaying?: string;
  side?: string;
  /** "tozero": a range of the data's own holds zero. */
  rangemode?: string;
}

/** The style of a line; a width of 0 is no line. */
export interface Line {
  width?: number;
  color?: string;
  dash?: string;
  /** "hvh": steps. */
  shape?: string;
}

export interface Shape {
  name?: string;
  type?: string;
  xref: string;
  yref: string;
  x0: number;
  x1: number;
  y0?: number;
  y1?: number;
  fillcolor?: string;
  line?: Line;
  /** "below": behind the traces. */
  layer?: string;
  label?: { text?: string; yanchor?: string; font?: { color?: string } };
}

export interface Annotation {
  /** Set for panel titles. */
  name?: string;
  text: string;
  xref?: string;
  yref?: string;
}

export type ColourAxisName = `coloraxis${string}`;
export type AxisName = `xaxis${string}` | `yaxis${string}`;

/** A layout from Python: also holds an axis or a colour axis under each of its names. */
export interface Layout {
  annotations?: Annotation[];
  shapes?: Shape[];
  images?: object[];
  height?: number;
  width?: number;
  margin?: { l?: number; r?: number; t?: number; b: number };
  /** `short`: titles of axes for a narrow figure, by the axes' names, each shorter than the one before. */
  meta?: { short?: Partial<Record<AxisName, string[]>> };
  [name: ColourAxisName]: ColourAxis;
  [name: AxisName]: AxisLayout;
  [name: string]: unknown;
}

/** One trace of any type. */
export interface Trace {
  type: string;
  /** "x" if it is not said. */
  xaxis?: string;
  yaxis?: string;
  coloraxis: ColourAxisName;
  name?: string;
  x?: ArrayLike<number>;
  y?: ArrayLike<number>;
  text?: string[];
  /** Of every text or of each: "top right". */
  textposition?: string | string[];
  textfont?: { color?: string };
  customdata?: ArrayLike<unknown>;
  opacity?: number;
  cliponaxis?: boolean;
  showlegend?: boolean;
  hoverinfo?: string;
  hovertemplate?: string;
  /** "lines", "markers", "text", several joined by +. */
  mode?: string;
  line?: Line;
  marker?: Marker;
  fill?: string;
  fillcolor?: string;
  /** Of heat maps: a code for each cell. */
  z: Uint8Array & { shape: number[] };
  /** Of boxes, one for each. */
  lowerfence?: ArrayLike<number>;
  q1?: ArrayLike<number>;
  median?: ArrayLike<number>;
  q3?: ArrayLike<number>;
  upperfence?: ArrayLike<number>;
  width?: number;
  meta?: {
    head: number;
    panel?: number;
    row_of?: string;
    pointed?: string;
    of?: string;
    kind?: string;
    /** The name of an outline that goes on beside the axis. */
    beyond?: string;
    measure?: string;
    /** Of the heads of a layer, from 1. */
    layer?: number;
    /** The layer and the head of each point, from 1. */
    heads?: [number, number][];
  };
}

export interface Marker {
  color?: string | string[];
  opacity?: number;
  size?: number;
  symbol?: string;
  line?: Line;
}

/** The part of a theme's template that a chart reads. */
export interface Template {
  layout?: { xaxis?: { gridcolor?: string; linecolor?: string } };
}

/** A figure as plotly takes it. */
export interface Drawing {
  data: Trace[];
  layout: Layout;
}

export interface Plotly {
  /** The address of the picture. */
  toImage(figure: object, options: { format: string; width: number; height: number; scale: number }): Promise<string>;
  newPlot(place: HTMLElement, data: object[], layout: object, options: object): Promise<unknown>;
}

declare global {
  interface Window {
    Plotly: Plotly;
  }
}

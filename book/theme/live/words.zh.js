// The words of the live figures in Chinese, loaded by Chinese pages alone. A test
// compares the keys with the scripts.

export const words = {
    // cells.js, heatmap.js, heads.js, controls.js, live.js
    "number {0}": "第 {0} 个",
    "key {0}": "键 {0}",
    "query {0}": "查询 {0}",
    "{0}: {1}": "{0}：{1}",
    "heat map": "热图",
    "Heat map": "热图",
    "none": "无",
    "{0}, {1}": "{0}，{1}",
    "{0} {1}": "{0}{1}",
    ", ": "、",
    "{0}, value {1}": "{0}，值 {1}",
    "{0}, weight {1}": "{0}，权重 {1}",
    "query {0}, key {1}, weight {2}": "查询 {0}，键 {1}，权重 {2}",
    "{0}, layer {1}, head {2}": "{0}，第 {1} 层，头 {2}",
    "{0}, all heads": "{0}，所有头",
    "“{0}”\u00a0({1}\u00a0%)": "“{0}”（{1}%）",
    "Not in the vocabulary, read as <unk>: {0}.": "不在词表中，当作 <unk> 读入：{0}。",
    "no effect": "不起作用",
    "Examples": "示例",
    "Table": "表",
    "Progress": "进度",
    "Start over": "重新开始",
    "Close": "关闭",
    "Live figure {0}": "交互图 {0}",
    "Live figure": "交互图",

    // 10.1
    "newspaper": "报纸",
    "paper": "纸",
    "cup": "杯子",
    "notebook": "笔记本",
    "book": "书",
    "no cue": "无提示",
    "a glance": "一瞥",
    "to read": "想读",
    "red": "红色",
    "words": "文字",
    "warmth": "热度",
    "scent": "气味",
    "what catches the eye": "显眼",
    "the wish to read": "想读的程度",
    "temperature": "温度",
    "yours": "你的查询",
    "Weights": "权重",
    "query yours, key {0}, weight {1}": "你的查询，键 {0}，权重 {1}",
    "What the query makes of each key": "查询给每个键的分数和权重",
    "key": "键",
    "score": "分数",
    "weight": "权重",
    "The pooled value": "汇聚得到的值",
    "output": "输出",
    "All weights are the same, {0}.": "所有权重都一样，是 {0}。",
    "The largest weight, {0}, is on the {1}.": "最大的权重 {0} 落在{1}上。",
    " and the ": "和",

    // 10.2
    "truth": "真实函数",
    "data": "数据",
    "fit": "拟合",
    "Heat map of the weights, 50 queries by 50 keys; the arrow keys move":
        "权重的热图，50 个查询，50 个键；用方向键移动",
    "query {0}, key {1}, value {2}, weight {3}": "查询 {0}，键 {1}，值 {2}，权重 {3}",
    "Weights from 0 (dark) to {0} (light): queries down, keys across":
        "权重从 0（暗）到 {0}（亮）：从上到下是查询，从左到右是键",
    "Mean squared error {0}; a query attends to {1} keys; {2} of 50 queries have no key in their window and get 0.":
        "均方误差 {0}；一个查询相当于关注 {1} 个键；50 个查询中有 {2} 个的窗口里没有键，估计为 0。",
    "Mean squared error {0}; a query attends to {1} keys.":
        "均方误差 {0}；一个查询相当于关注 {1} 个键。",
    "sample of seed": "样本的随机种子",
    "w at the start": "w 的初值",
    "learning rate": "学习率",
    "a point is among its own keys": "每个点也是自己的键",
    "1 step": "1 步",
    "5 steps": "5 步",
    "100 steps": "100 步",
    "Play": "播放",
    "Pause": "暂停",
    "Back to the start": "回到起点",
    "Data and fit": "数据与拟合",
    "loss": "损失",
    "The loss over w": "损失随 w 的变化",
    "steps": "走过的各步",
    "1 step: w is {0}, the loss {1}, its gradient {2}.": "走了 1 步：w 为 {0}，损失 {1}，梯度 {2}。",
    "{0} steps: w is {1}, the loss {2}, its gradient {3}.":
        "走了 {0} 步：w 为 {1}，损失 {2}，梯度 {3}。",
    "The loss over w. {0}": "损失随 w 的变化。{0}",
    "The last eight steps": "最后八步",
    "Steps": "走过的各步",
    "No step yet": "还没有开始",
    "epoch": "迭代周期",
    "then w": "之后的 w",
    "Gaussian": "高斯核",
    "Boxcar": "矩形核（boxcar）",
    "Constant": "常数核",
    "kernel": "核",
    "width": "宽度",
    "point": "点的序号",
    "x of the point": "这个点的 x",
    "y of the point": "这个点的 y",
    "Drag a point, or choose it and move it by the sliders.": "拖动一个点，或者用滑块选中并移动它。",
    "Fifty points, the truth and the fit. {0}": "五十个点、真实函数和拟合。{0}",

    // 10.3
    "a length": "一个长度",
    "a length for each query": "每个查询一个长度",
    "causal": "因果",
    "causal, within a length": "因果，并限于一个长度",
    "pair by pair": "逐对设定",
    "mask": "掩码",
    "length": "长度",
    "length for query {0}": "查询 {0} 的长度",
    "score of query {0} and pair {1}": "查询 {0} 与第 {1} 对的分数",
    "value of pair {0}": "第 {0} 对的值",
    "query {0} may attend to pair {1}": "查询 {0} 可以关注第 {1} 对",
    "pair {0}": "第 {0} 对",
    "Scores and values": "分数和值",
    "value": "值",
    "Allowed": "允许关注",
    "query {0}, pair {1}, weight {2}": "查询 {0}，第 {1} 对，权重 {2}",
    "Outputs": "输出",
    "sum of weights": "权重之和",
    "Outputs: {0}.": "输出：{0}。",
    "Nothing is allowed for query {0}: weights of 0. {1}": "查询 {0} 什么都不能关注：权重全是 0。{1}",
    "width d": "宽度 d",
    "Draw other vectors": "换一组随机向量",
    "100 times the slopes, not divided": "斜率的 100 倍，分数未缩放",
    "The same, divided by √d": "斜率的 100 倍，分数除以 √d",
    "weight {0}, score {1}, 100 times the slope {2}": "权重 {0}，分数 {1}，斜率的 100 倍 {2}",
    "One of the queries, with ten keys:": "其中一个查询，对十个键：",
    "Over {0} queries of width {1}": "{0} 个宽度为 {1} 的查询",
    "not divided": "未缩放",
    "divided by {0}": "除以 {0}",
    "variance of the scores": "分数的方差",
    "largest weight, mean": "最大权重的均值",
    "norm of the slopes, mean": "斜率范数的均值",
    "Not divided": "未缩放",
    "Divided by √d": "除以 √d",
    "Width {0}: not divided, the largest weight is {1} and the norm of the slopes {2}; divided by the root, {3} and {4}.":
        "宽度 {0}：未缩放时，最大权重为 {1}，斜率的范数为 {2}；除以 √d 后，分别为 {3} 和 {4}。",

    // 10.4
    "English sentence": "英语句子",
    "Translate": "翻译",
    "Token by token": "逐个词元",
    "Alignment": "对齐",
    "written {0}, read {1}, weight {2}": "写出 {0}，读入 {1}，权重 {2}",
    "French": "法语",
    "with attention": "有注意力",
    "without": "没有注意力",
    "{0} — “{1}” attends to {2}. Without attention: {3}":
        "{0}——“{1}”关注{2}。没有注意力的译文：{3}",
    "Read: {0}": "读入：{0}",

    // 10.5
    "two heads, trained": "两个头，训练得到",
    "one head, trained": "一个头，训练得到",
    "four heads, trained": "四个头，训练得到",
    "two heads, by hand": "两个头，手工设定",
    "model": "模型",
    "Heads": "各个头",
    "Deal": "发牌",
    "picture of card {0}": "牌 {0} 的图案",
    "number of card {0}": "牌 {0} 的数字",
    "The cards, the answers of the model, and their probabilities": "各张牌，以及模型的回答和概率",
    "card": "牌",
    "picture": "图案",
    "number": "数字",
    "left": "左邻",
    "partner": "搭档",
    "Head {0}": "头 {0}",
    "head {0}": "头 {0}",
    "Head {0}, off": "头 {0}，已关闭",
    "card that asks: {0}, card attended to: {1}, weight {2}":
        "提问的牌 {0}，被关注的牌 {1}，权重 {2}",
    "The same heads on 256 circles": "同样这些头在 256 圈牌上的结果",
    "right answers": "正确率",
    "left neighbour’s number": "左邻的数字",
    "partner’s number": "搭档的数字",
    "✗ not {0}": "✗ 应为 {0}",
    "{0} {1} ({2})": "{0} {1}（{2}）",
    "Right for this circle: {0} of 8 left neighbours, {1} of 8 partners.":
        "这一圈牌：8 个左邻答对 {0} 个，8 个搭档答对 {1} 个。",

    // 10.6
    "Each pair of columns as a dial: the row, and the row turned":
        "每对列画成一个表盘：这一行，以及旋转后的这一行",
    "position": "位置",
    "turned by this many positions": "旋转几个位置",
    "row of the table": "表的行号",
    "dot product": "点积",
    "Dot products": "点积",
    "with each row": "与每一行",
    "with the turned row": "与旋转后的行",
    "Dot product with each row": "与每一行的点积",
    "row {0}, and {1}, dot product {2}": "第 {0} {1} 行，点积 {2}",
    "The 16 pairs of columns as angles: the row (thin), and the row turned (thick).":
        "16 对列画成角度：细针是这一行，粗针是旋转后的这一行。",
    "Dot products of row {0} with rows 0 to 59, and with the turned row":
        "第 {0} 行与第 0 到 59 行的点积，以及与旋转后的行的点积",
    "The table has no such row: the turned row is between two rows, or beyond an end of the table.":
        "表里那个位置没有行：旋转后的行在两行之间，或者超出了表的两端。",
    "The turned row and row {0} of the table differ by at most {1}.":
        "旋转后的行与表的第 {0} 行最多相差 {1}。",
    "Row {0} times itself turned by {1}: dot product {2}.":
        "第 {0} 行与它自己旋转 {1} 个位置后的点积：{2}。",
    "order": "词序",
    "positions added": "加上位置编码",
    "causal mask": "因果掩码",
    "output of {0}, number {1}, is {2}": "{0} 的输出，第 {1} 个数为 {2}",
    "Output in this order": "按这个词序的输出",
    "Output of the same words in “dog bites man”": "同样的词在“dog bites man”里的输出",
    "All other orders are compared with this one. Choose another.":
        "别的词序都与这种词序比较。换一种试试。",
    "The same rows in another order: largest difference 0.0000. The order is lost.":
        "还是同样的行，只是次序变了：最大差异 0.0000。词序丢失了。",
    "Other rows: largest difference {0}. The order makes a difference.":
        "行变了：最大差异 {0}。词序起了作用。",
    "the animal that acts": "动作的主体",
    "did not": "“did not”后的动词",
    "the other noun": "动作的对象",
    "because it was too": "“because it was too”后的词",
    "“was not … by”": "“was not … by”（被动句）",
    "the reason first": "原因放在前面",
    "Words that “it” may attend to": "“it”可以关注的词",
    "What “it” attends to, by layer and head": "“it”在各层各头里关注什么",
    "{0}, word {1}, weight {2}": "{0}，词 {1}，权重 {2}",
    "Press a word to mask it for “it” in the second layer:": "点一个词，在第二层里不让“it”关注它：",
    "{0}, masked": "{0}，已掩蔽",
    "“it” is the {0}, with a probability of {1}.": "“it”指 {0}，概率 {1}。",
    "layer {0}\nhead {1}": "第 {0} 层\n头 {1}",
    "The most probable words": "概率最大的词",
    "word": "词",
    "probability": "概率",
    "“it” is the {0}. Masked: {1}.": "“it”指 {0}。已掩蔽：{1}。",
    "“it” is the {0}.": "“it”指 {0}。",

    // 10.7
    "width of the beam": "束宽",
    "layer": "层",
    "head": "头",
    "Tokens read": "读入的词元",
    "Tokens written": "写出的词元",
    "Encoder self-attention": "编码器自注意力",
    "Decoder self-attention": "解码器自注意力",
    "Cross-attention": "交叉注意力",
    "Point at a token, or press it to keep it:": "指向一个词元，或者点一下把它固定：",
    "(nothing)": "（空）",
    "Hypotheses at the end of the beam search": "束搜索结束时的候选译文",
    "To write “{0}” after “{1}”: layer {2}, head {3}": "在“{1}”之后写出“{0}”：第 {2} 层，头 {3}",
    "attends to": "关注",
    "cross-attention": "交叉注意力",
    "decoder self-attention": "解码器自注意力",
    "{0} “{1}” attends to {2}.": "{0}——“{1}”关注{2}。",
    "“{0}”: layer {1}, head {2}": "“{0}”：第 {1} 层，头 {2}",
    "encoder self-attention: it attends to": "编码器自注意力：它关注",
    "cross-attention: steps that attend to it": "交叉注意力：关注它的各步",
    "beginning of a story": "故事的开头",
    "One token": "一个词元",
    "A whole line": "一整行",
    "Another story": "换一个故事",
    "Causal attention": "因果注意力",
    "after {0}, attends to {1}, weight {2}": "在 {0} 之后，关注 {1}，权重 {2}",
    "Next: {0}, drawn with a probability of {1}.": "下一个：{0}，抽中它的概率是 {1}。",
    "Stop": "停止",
    "The ten tokens with most probability": "概率最大的十个词元",
    "token": "词元",
    "relative to the largest": "与最大者之比",
    "{0} ◂ drawn": "{0} ◂ 抽中",
    "Cache: keys and values of 1 position in 2 layers, {0} numbers of {1}; computed for this token: {2}.":
        "缓存：2 层里 1 个位置的键和值，占 {1} 个数中的 {0} 个；为这个词元新算的位置：{2}。",
    "Cache: keys and values of {0} positions in 2 layers, {1} numbers of {2}; computed for this token: {3}.":
        "缓存：2 层里 {0} 个位置的键和值，占 {2} 个数中的 {1} 个；为这个词元新算的位置：{3}。",
    "After “{0}”, layer {1}, head {2}: attends to {3}. Of the {4} tokens the last {5} are shown.":
        "在“{0}”之后，第 {1} 层，头 {2}：关注{3}。共 {4} 个词元，显示最后 {5} 个。",
    "After “{0}”, layer {1}, head {2}: attends to {3}.": "在“{0}”之后，第 {1} 层，头 {2}：关注{3}。",

    // 10.3, by hand
    "query": "查询",
    "{0}, number {1}": "{0}，第 {1} 个数",
    "value {0}": "值 {0}",
    "Numbers from −5 to 5": "从 −5 到 5 的数",
    "From the scores to the output": "从分数到输出",
    "weight × value, number {0}": "权重 × 值，第 {0} 个数",
    "sum": "和",
    "Weights: {0}. Output: {1}.": "权重：{0}。输出：{1}。",

    // 10.5, inside one head
    "card that asks": "提问的牌",
    "Inside one head": "一个头的内部",
    "q of card {0}": "牌 {0} 的 q",
    "output of head {0}": "头 {0} 的输出",

    // 10.7, one token through one block
    "Inside layer {0}, head {1}: the row of “{2}”": "第 {0} 层，头 {1} 的内部：“{2}”这一行",
    "Inside layer {0}, head {1}: from “{2}” to the next token":
        "第 {0} 层，头 {1} 的内部：从“{2}”到下一个词元",
    "All of these steps are computed by {0}.": "以下各步都由 {0} 计算。",
    "{0} computes this layer.": "这一层由 {0} 计算。",
    "The row of “{0}”": "“{0}”这一行",
    "This is the output of layer {0}.": "这就是第 {0} 层的输出。",
    "This is the output of the embedding.": "这就是嵌入层的输出。",
    "Self-attention": "自注意力",
    "{0}: query, keys and values of head {1}": "{0}：头 {1} 的查询、键和值",
    "The row of the token makes the query q. Each row that is attended to makes a key k and a value v.":
        "由这个词元的行得出查询 q。由关注到的每一行得出一个键 k 和一个值 v。",
    "{0}: from products to weights": "{0}：从点积到权重",
    "The query times each key, divided by √{0}. What is masked gets the weight 0; the softmax makes the others sum to 1.":
        "查询与每个键的点积，除以 √{0}。掩蔽的位置权重为 0；softmax 使其余的权重之和为 1。",
    "{0}: weights times values": "{0}：权重乘以值",
    "What the head finds is the mean of the values, weighted.": "这个头的输出是值的加权平均。",
    "{0}: all heads, times W_o": "{0}：所有头，乘以 W_o",
    "What the heads find stands side by side. W_o makes of it the correction a.":
        "各个头的输出并排连结，再由 W_o 得出修正量 a。",
    "all heads": "所有头",
    "{0}: residual connection and norm": "{0}：残差连接和规范化",
    "The correction is added to the row, and the sum is normalised: z.": "把修正量加到这一行上，再把和规范化，得到 z。",
    "Network: the hidden units": "前馈网络：隐藏单元",
    "Of z it makes {0} hidden units. {1} of them are on; the ReLU has set the others to 0.":
        "由 z 算出 {0} 个隐藏单元，其中 {1} 个处于激活状态，其余由 ReLU 置为 0。",
    "hidden units": "隐藏单元",
    "Network: what they make": "前馈网络：由隐藏单元到输出",
    "The hidden units that are on make the correction f.": "由激活的隐藏单元得出修正量 f。",
    "Network: residual connection and norm": "前馈网络：残差连接和规范化",
    "This row leaves the block.": "这一行就是这个块的输出。",
    "allowed": "可以关注",
    "masked": "被掩蔽",
    "The ten likeliest next tokens": "下一个词元：概率最大的十个",
    "The output layer makes of the row a logit for each token; the softmax makes them probabilities.":
        "输出层由这一行算出每个词元的 logit，再用 softmax 变成概率。",
    "{0}, {1}, to {2}": "{0}，{1}，到 {2}",
    "{0}, number {1}, value {2}": "{0}，第 {1} 个，值 {2}",
    "number {0}, value {1}": "第 {0} 个，值 {1}",

    // 10.7, a head that copies
    "letters from a to z": "从 a 到 z 的字母",
    "period": "周期",
    "Other letters": "换一些字母",
    "Shuffle": "打乱",
    "layer {0}, head {1}": "第 {0} 层，头 {1}",
    "{0} works": "{0} 起作用",
    "map of layer {0}": "第 {0} 层的热图",
    "Letters read": "读入的字母",
    "Press a letter to see what comes after it:": "点一个字母，看它后面是什么：",
    "After a letter that was there before, the most probable letter came {0} of {1} times.":
        "在先前出现过的字母之后，{1} 次中有 {0} 次，接着的正是概率最大的字母。",
    "letter {0}, “{1}”": "第 {0} 个字母“{1}”",
    "letter {0}, “{1}” ({2}\u00a0%)": "第 {0} 个字母“{1}”（{2}%）",
    "; ": "；",
    "After letter {0}, “{1}”": "在第 {0} 个字母“{1}”之后",
    "letter": "字母",
    "Letter {0}, “{1}”, attends to": "第 {0} 个字母“{1}”关注",
    "Layer {0}, head {1}": "第 {0} 层，头 {1}",
    "After letter {0}, “{1}”, comes “{2}” with a probability of {3}.":
        "在第 {0} 个字母“{1}”之后是“{2}”，概率为 {3}。",
};

// The lines of modules and workers that say what is wrong.
const errors = {
    "the program cannot be loaded: {0}. “Start over” tries again":
        "程序加载失败：{0}。点“重新开始”再试",
    "there was no answer in {0} seconds. “Start over” tries again":
        "{0} 秒内没有响应。点“重新开始”再试",
    "no answer": "没有响应",
    "{0} answers {1}": "{0} 返回 {1}",
    "this has stopped the program: {0}": "程序因此停止：{0}",
    "the model's file is damaged: reload the page": "模型文件已损坏：请重新加载页面",
    "{0} is not a number: give one, such as 1.5": "{0}：这不是数，请填一个数，例如 1.5",
    "The score of query {0} and pair {1}": "查询 {0} 与第 {1} 对的分数",
    "The value of pair {0}": "第 {0} 对的值",
    "the score of query {0} and pair {1} is too large: give one smaller than 8e37 in size":
        "查询 {0} 与第 {1} 对的分数太大：绝对值要小于 8e37",
    "the value of pair {0} must be from -1000000 to 1000000":
        "第 {0} 对的值必须在 -1000000 到 1000000 之间",
    "write an English sentence, such as “The red car is new.”":
        "写一个英语句子，例如“The red car is new.”",
    "these are {0} words and marks; the model reads at most {1}":
        "这里有 {0} 个词和标点，模型最多读 {1} 个",
    "these are {0} words and marks; the model has room for {1}":
        "这里有 {0} 个词和标点，模型只容得下 {1} 个",
    "“{0}” is not in the stories; take another word": "故事里没有“{0}”这个词：请换一个",
    "every word is masked: leave one that “it” may attend to":
        "所有词都掩蔽了：至少留一个让“it”关注",
    "each number must be from -5.0 to 5.0, not {0}": "每个数必须在 -5.0 到 5.0 之间，不能是 {0}",
    "“{0}” is no letter from a to z": "“{0}”不是从 a 到 z 的字母",
    "write letters from a to z, such as “ujgpujg”": "写从 a 到 z 的字母，例如“ujgpujg”",
    "these are {0} letters; the model reads at most {1}": "这里有 {0} 个字母，模型最多读 {1} 个",
    "take two nouns, not the {0} twice": "选两个不同的名词，不要两次都选 {0}",
};

const literal = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// A line whose values are filled in already is found by what stands around them;
// a value may be such a line again.
export function wrong(line) {
    for (const [english, text] of Object.entries(errors)) {
        const around = english.split(/\{\d\}/).map(literal).join("(.+)");
        const found = line.match(new RegExp(`^${around}$`));
        if (found) {
            return text.replace(/\{(\d)\}/g, (_, i) => wrong(found[Number(i) + 1]));
        }
    }
    return line;
}

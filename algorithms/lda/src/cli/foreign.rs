//! Options and verbs of other libraries, and the hints that `lda` gives for them.

use raddle_cli::ForeignWords;

/// The table of foreign words.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &[
        ("num-topics n-topics ntopics numtopics number-of-topics k n-components components", "--topics"),
        ("doc-topic-prior theta-prior alpha-prior", "--alpha"),
        ("topic-word-prior eta phi-prior delta", "--beta"),
        (
            "optim-interval optimize-interval optimize-alpha optimize-burn-in hyper-optimize \
             hyperparameter-optimization update-alpha symmetric-alpha use-symmetric-alpha",
            "[fixed-priors] alpha and beta are optimised by default; --fixed-priors keeps them as they are",
        ),
        (
            "burn-in burnin thin thinning samples",
            "[topics] the chain has one state, which is the model: --epochs N or the perplexity of held-out \
             documents ends it",
        ),
        (
            "algorithm method solver inference sampler learning-method optimizer",
            "[topics] topics are drawn by collapsed Gibbs sampling: there is no method to choose",
        ),
        (
            "batch-size batch chunksize chunk-size minibatch update-every decay offset learning-decay \
             learning-offset kappa tau0 total-samples learning-rate lr",
            "[topics] each epoch draws the topics of all documents: there are no batches and no learning \
             rate",
        ),
        ("no-below min-doc-freq min-document-frequency min-docs mindf", "--min-df"),
        ("no-above max-doc-freq max-document-frequency max-docs maxdf", "--max-df"),
        ("min-cf min-count min-freq min-frequency min-term-freq", "--min-df N, which counts documents"),
        ("rm-top remove-top-n remove-n-top remove-most-common", "--remove-top"),
        (
            "keep-n max-features max-vocab max-vocabulary vocab-size max-words max-size",
            "[min-df] --min-df and --max-df leave rare and common words out, and --remove-top N the N \
             commonest: there is no option that keeps N words",
        ),
        (
            "ngram ngrams n-gram ngram-range bigrams bigram phraser",
            "--phrases N, which joins the N pairs of neighbouring words that occur together most",
        ),
        (
            "stopwords stop stop-word stopword-list stopwords-file stoplist stoplist-file remove-stopwords \
             extra-stopwords stop-list",
            "--stop-words",
        ),
        ("vocabulary dictionary id2word vocab-file vocabulary-file word-list", "--vocab"),
        (
            "token-pattern token-regex tokenizer tokeniser tokenize analyzer tokens",
            "--words unicode|blanks, which divides texts into words; --min-letters N leaves shorter ones out",
        ),
        ("min-word-length min-word-len min-length min-len min-token-length min-letter", "--min-letters"),
        (
            "lowercase lower strip-accents stem stemming lemmatize",
            "[words] words are in lower case and composed (NFC), and nothing more is done to them",
        ),
        (
            "text-column text-col text-field content document documents doc-column document-column column \
             field body texts",
            "--text",
        ),
        ("id-column id-col doc-id docid document-id index-col name-column", "--id"),
        (
            "label labels target-column target-col y response class",
            "[text] topics have no response: --text NAME says which column has the texts",
        ),
        (
            "n-top-words num-top-words top-words topn top-n num-words n-words topic-top-words \
             words-per-topic top-w n",
            "[documents] --words {x}, the top words of a topic",
        ),
        (
            "n-top-words num-top-words top-words topn top-n top num-words n-words words-per-topic top-w n",
            "[topics] `lda topics MODEL --words {x}` shows so many words of each topic",
        ),
        (
            "eval-every evaluation-interval perplexity-interval perplexity-every eval-interval",
            "--evaluate-every",
        ),
        (
            "tol tolerance perp-tol mean-change-tol gamma-threshold eps epsilon convergence early-stopping \
             patience",
            "[validation] a fit ends where the perplexity of held-out documents falls by less than 0.1 % in \
             10 epochs; --target PERPLEXITY ends it where it is reached",
        ),
        (
            "test-size test-fraction test-split holdout hold-out held-out validation-split val-size \
             validation-fraction",
            "--validation {x} to end the fit; --test (split or a file) only measures",
        ),
        ("perplexity target-perplexity", "--target"),
        (
            "scoring metric metrics score",
            "[coherence] a fit says its held-out perplexity; --coherence measures the topics, too",
        ),
        ("pyldavis-file ldavis vis", "--pyldavis"),
        (
            "word-prior seed-words seeds seeded guided seed-topics",
            "--word-priors FILE, with lines `topic word weight`",
        ),
        ("minimum-probability min-probability min-prob doc-topics-threshold threshold", "--least"),
        (
            "output-doc-topics output-topic-keys output-state topic-word-weights-file per-word-topics \
             doc-topic",
            "[checkpoint-every] --out DIR has doc_topic.npz, topic_word.npy and topics.txt",
        ),
        ("cv nfolds n-folds num-folds kfold k-fold kfolds n-splits fold", "--folds"),
        (
            "cv nfolds n-folds num-folds kfold k-fold kfolds n-splits fold folds",
            "[topics] `lda cv DATA --folds {x}` chooses the number of topics by cross-validation",
        ),
    ],
    verbs: &[
        ("train train-topics fitting", "the verb is fit: `lda fit DATA`"),
        (
            "tune search grid-search gridsearch cross-validate crossval cross-validation path",
            "`lda cv DATA --topics 10,20,40` chooses the number of topics by cross-validation",
        ),
        (
            "transform predict apply inference infer-topics get-document-topics",
            "the verb is infer: `lda infer MODEL DATA`",
        ),
        (
            "evaluate eval score test validate perplexity",
            "`lda fit DATA --test split` (or --test FILE) says the perplexity of documents that it has not \
             seen",
        ),
        (
            "coherence",
            "`lda topics MODEL DATA` says the coherence of each topic, and so does `lda fit --coherence`",
        ),
        (
            "show print words top-words keys describe show-topics print-topics topic",
            "the verb is topics: `lda topics MODEL`",
        ),
        (
            "vis visualize visualise pyldavis plot",
            "`lda fit DATA --out DIR --pyldavis` writes the file, and `raddle report DIR` a page with a map \
             of the topics",
        ),
        ("update partial-fit", "`lda fit DATA --init MODEL` goes on with more documents"),
    ],
    arguments: &[],
};

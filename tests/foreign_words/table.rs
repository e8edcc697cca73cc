//! Lines that users of other libraries write, and what is said to them.

/// A line and, behind `|`, text of its answer.
pub(super) const TABLE: &str = "
# scikit-learn: Lasso, ElasticNet, LassoCV, LogisticRegression
lasso fit diabetes --alpha 0.1 | --alpha: scikit-learn's alpha is --lambda 0.1 --no-standardize, glmnet's is --l1-ratio 0.1
lasso path diabetes --alpha 0.1 | glmnet's alpha is --l1-ratio 0.1; scikit-learn's is a lambda
lasso fit diabetes --l1_ratio 0.5 | --l1_ratio is --l1-ratio here
lasso fit diabetes --fit_intercept | an intercept is fitted by default; --no-intercept leaves it out
lasso fit diabetes --fit-intercept False | an intercept is fitted by default
lasso fit diabetes --max_iter=1000 | --max_iter is --epochs here
lasso fit diabetes --warm_start | --init MODEL starts from the model of an earlier run
lasso fit diabetes --positive | --positive is --nonnegative here
lasso fit diabetes --random_state 0 | --random_state is --seed here
lasso fit diabetes --selection random | --selection is --schedule NAME: working-set (the default)
lasso fit diabetes --eps 1e-3 | `lasso path DATA --ratio 1000` ends at lambda_max / 1000
lasso path diabetes --eps 1e-3 | --eps 1e-3 is --ratio 1000
lasso fit diabetes --n_alphas 50 | `lasso path DATA --points 50` fits so many lambdas
lasso path diabetes --n_alphas 50 | --n_alphas is --points here
lasso cv diabetes --n-alphas 50 | --n-alphas is --points here
lasso path diabetes --alphas 1,0.1 | --alphas is --lambdas here
lasso cv diabetes --alphas 1,0.1 | --alphas is --lambdas here
lasso fit diabetes --alphas 1,0.1 | `lasso path` fits many lambdas, and `lasso cv` chooses one of them
lasso fit diabetes --cv 5 | `lasso cv DATA --folds 5` chooses lambda by cross-validation
lasso cv diabetes --cv 10 | --cv is --folds here
lasso path diabetes --cv 10 | `lasso cv DATA --folds 10`
lasso fit diabetes --verbose | progress is shown unless --quiet is given
lasso fit diabetes --n_jobs 2 | --n_jobs is --workers here
lasso fit diabetes --penalty l1 | --l1-ratio says it: 1 is the l1 penalty (the default), less an elastic net
lasso fit diabetes --dual | there is nothing to choose here
lasso fit diabetes --precompute | there is nothing to choose here
lasso fit diabetes --copy_X | there is nothing to choose here
lasso fit diabetes --C 0.5 | --C 0.5 is --lambda 2/n for n rows: C weighs the sum of the losses, lambda the penalty beside their mean, C = 1 / (n lambda)
lasso fit diabetes --C=4 | --C 4 is --lambda 0.25/n for n rows
lasso fit diabetes -C 1 | -C 1 is --lambda 1/n for n rows
lasso fit diabetes --C | --C is --lambda 1/X/n for n rows
lasso cv diabetes --Cs 10 | C is 1 / (n lambda) for n rows
lasso fit diabetes --intercept_scaling 1 | there is nothing to choose here
lasso fit diabetes --class_weight balanced | --class_weight is --class-weights here
lasso fit diabetes --solver saga | --solver is --schedule NAME
lasso fit diabetes --multi_class multinomial | --multi_class is --loss multinomial
lasso cv diabetes --scoring auc | --scoring is --measure here
lasso fit diabetes --scoring auc | `lasso cv --measure NAME` chooses lambda by a measure
lasso fit diabetes --normalize | columns are standardised by default; --no-standardize leaves them as they are
lasso fit diabetes --sample_weight w | --sample_weight is --weights here
lasso fit diabetes --test_size 0.2 | --test_size is --test here
lasso fit diabetes --train_size 0.8 | --train_size 0.8 is --test 0.2
lasso cv diabetes --n_splits 5 | --n_splits is --folds here
lasso fit diabetes --early_stopping | a fit ends when its duality gap proves it: --tol says how near
lasso fit diabetes --l1_ratios 0.5,1 | --l1_ratios is --l1-ratio, to which `lasso cv` takes several
# scikit-learn: LinearSVC, LogisticRegression, SGDClassifier
linear fit diabetes -C 1 | -C is --C here
linear fit diabetes -c 1 | -c is --C here
linear fit diabetes --alpha 1e-4 | --alpha is --lambda here
linear cv diabetes --alpha 1e-4 | C is 1 / (n lambda) for n rows: --C takes a range of values
linear fit diabetes --Cs 0.1,1 | `linear cv DATA --C 0.01:100` chooses C by cross-validation
linear fit diabetes --class_weight balanced | --class_weight is --class-weights here
linear fit diabetes --fit_intercept | a constant column is on by default; --bias 0 leaves it out
linear fit diabetes --intercept_scaling 1 | --intercept_scaling is --bias here
linear fit diabetes --penalty l1 | `lasso fit --loss logistic --l1-ratio A` has the l1 penalty and the elastic net
linear fit diabetes --dual | solvers take turns by counted progress
linear fit diabetes --solver lbfgs | of LIBLINEAR's -s, 0 and 7 are --loss logistic
linear fit diabetes --kernel rbf | the classifiers are linear: there is no kernel
linear fit diabetes --gamma scale | there is no kernel
linear fit diabetes --degree 3 | there is no kernel
linear fit diabetes --probability | predictions of a model by --loss logistic have their probability
linear predict run diabetes --predict_proba | predictions of a logistic model have their probability
linear fit diabetes --decision_function_shape ovr | of more than two classes each is fitted against the rest
linear fit diabetes --multi_class ovr | each is fitted against the rest, and all together by --loss multinomial
linear cv diabetes --scoring auc | --scoring is --measure here
linear fit diabetes --cv 5 | `linear cv DATA --folds 5` chooses C by cross-validation
linear fit diabetes --learning_rate optimal | there is no step size to choose: steps are exact
linear fit diabetes --eta0 0.1 | there is no step size to choose
linear fit diabetes --n_iter_no_change 5 | a fit ends when its duality gap proves it
linear fit diabetes --normalize | --normalize is --scale here
linear fit diabetes --test_size 0.2 | `linear cv` measures on rows that are held out
linear fit diabetes --shuffle | there is nothing to choose here
linear fit diabetes --random_state 1 | --random_state is --seed here
linear fit diabetes --max_iter 100 | --max_iter is --epochs here
linear fit diabetes --n_jobs 2 | --n_jobs is --workers here
linear fit diabetes --label price | --label is --y here
linear fit diabetes --sample_weight w | --sample_weight is --weights here
# LIBLINEAR
linear fit diabetes -s 2 | 1 and 2 squared-hinge, 3 hinge
linear fit diabetes -e 0.01 | -e is --tol here
linear fit diabetes -B 1 | -B is --bias here
linear fit diabetes -v 5 | `linear cv DATA --folds 5`
linear cv diabetes -v 5 | -v is --folds here
linear fit diabetes -p 0.1 | classes alone are fitted; `lasso` fits numbers
linear fit diabetes -R | -R is --bias 0
linear fit diabetes -M 1 | of more than two classes each is fitted against the rest
linear fit diabetes -m 4 | -m is --workers here
linear predict run diabetes -b 1 | predictions of a logistic model have their probability
# glmnet
lasso fit diabetes --family binomial | --family is --loss NAME: squared (gaussian), logistic (binomial), multinomial or poisson
lasso path diabetes --nlambda 100 | --nlambda is --points here
lasso path diabetes --lambda.min.ratio 0.01 | --lambda.min.ratio 0.01 is --ratio 100
lasso fit diabetes --standardize | columns are standardised by default
lasso fit diabetes --intercept | an intercept is fitted by default
lasso fit diabetes --thresh 1e-7 | --thresh is --tol here
lasso fit diabetes --dfmax 10 | `lasso path` shows the number of nonzeros at each lambda
lasso fit diabetes --pmax 10 | `lasso path` shows the number of nonzeros at each lambda
lasso fit diabetes --exclude age | --exclude is --drop here
lasso fit diabetes --penalty.factor f | --penalty.factor is --factors FILE, with lines `name factor`
lasso fit diabetes --lower.limits 0 | --lower.limits is --bounds FILE, with lines `name lower upper`
lasso fit diabetes --upper.limits 1 | --upper.limits is --bounds FILE
lasso fit diabetes --maxit 100 | --maxit is --epochs here
lasso fit diabetes --relax | there is nothing to choose here
lasso fit diabetes --trace.it 1 | progress is shown unless --quiet is given
lasso cv diabetes --nfolds 10 | --nfolds is --folds here
lasso cv diabetes --foldid f | --foldid is --fold-by here
lasso cv diabetes --type.measure auc | --type.measure is --measure here
lasso predict run diabetes --newx x.csv | the data stand behind the model: `lasso predict MODEL x.csv`
lasso predict run diabetes --s 0.1 | --s is --point K, the point of a path
lasso predict run diabetes --lambda 0.1 | --lambda is --point K, the point of a path
lasso predict run diabetes --type class | have their probabilities: leave it out
lasso fit diabetes --offset-column o | --offset-column is --offset here
# implicit, Spark, Surprise, LIBMF
mf fit ratings.csv --factors 64 | --factors is --rank here
mf fit ratings.csv -k 64 | -k is --rank here
mf fit ratings.csv --regularization 0.01 | --regularization is --reg here
mf fit ratings.csv --alpha 40 | --alpha 40 is --implicit 40: an observed pair has weight 1 + 40 |value|
mf fit ratings.csv --implicitPrefs | --implicitPrefs is --implicit here
mf fit ratings.csv --numBlocks 4 | --numBlocks is --blocks here
mf fit ratings.csv --implicit-prefs | --implicit-prefs is --implicit here
mf fit ratings.csv --iterations 15 | --iterations is --epochs here
mf fit ratings.csv --calculate_training_loss | trace.jsonl of --out DIR has each epoch's error
mf fit ratings.csv --num_threads 4 | --num_threads is --workers here
mf fit ratings.csv --use_cg | --use_cg is --cg-steps here
mf fit ratings.csv --use_gpu | everything is computed on the processor's cores
mf fit ratings.csv --lr_all 0.005 | --lr_all is --step here
mf fit ratings.csv --reg_all 0.02 | --reg_all is --reg here
mf fit ratings.csv --biased | biases are fitted by default; --no-biases leaves them out
mf fit ratings.csv --algorithm als | --algorithm is --solver NAME: sgd, als or ccd
mf fit ratings.csv --bpr | there is no loss to choose
mf fit ratings.csv --init_std_dev 0.1 | --init_std_dev is --init-scale here
mf fit ratings.csv --num_blocks 4 | --num_blocks is --blocks here
mf fit ratings.csv --test_size 0.1 | --validation 0.1 holds ratings out to end the fit, and --test (split, last:X, a file) to measure it
mf fit ratings.csv --cv 5 | `mf cv DATA --folds 5` chooses rank and regularisation
mf cv ratings.csv --n_splits 5 | --n_splits is --folds here
mf fit ratings.csv --param_grid x | `mf cv DATA --ranks 16,32 --regs 0.03,0.05` tries each of them
mf fit ratings.csv --tol 1e-3 | --target RMSE ends it where it is reached
mf fit ratings.csv --early-stopping | the error of held-out ratings ends a fit by default
mf fit ratings.csv --metric ndcg | --ranking K measures the lists, too
mf fit ratings.csv --label stars | --label is --columns user,item,rating,time
mf fit ratings.csv --user-col u | --user-col is --columns user,item,rating,time
mf fit ratings.csv --min-interactions 5 | --min-interactions is --min-count here
mf recommend run --user 3 | --user 3 is --users 3
mf recommend run --userid 3 | --userid 3 is --users 3
mf recommend run 3 | users are named by an option: --users 3
mf recommend run --N 10 | --N is --top here
mf recommend run -k 10 | -k is --top here
mf recommend run --filter_items 1,2 | --filter_items is --without here
mf recommend run --items 1,2 | --items 1,2 is --only 1,2
mf recommend run --recalculate_user | `mf fold-in MODEL RATINGS` finds the factors of new users
mf similar run --itemid 7 | the items stand behind the model: `mf similar MODEL 7`
mf evaluate run | `mf fit DATA --test split` measures a fit
mf train ratings.csv | the verb is fit: `mf fit DATA`
mf update run more.csv | the verb is fold-in
# gensim, tomotopy, scikit-learn's LatentDirichletAllocation and CountVectorizer, MALLET
lda fit notes.txt --num_topics 20 | --num_topics is --topics here
lda fit notes.txt --n_components 20 | --n_components is --topics here
lda fit notes.txt -k 20 | -k is --topics here
lda fit notes.txt --eta 0.01 | --eta is --beta here
lda fit notes.txt --doc_topic_prior 0.1 | --doc_topic_prior is --alpha here
lda fit notes.txt --topic_word_prior 0.1 | --topic_word_prior is --beta here
lda fit notes.txt --passes 10 | --passes is --epochs here
lda fit notes.txt --iter 100 | --iter is --epochs here
lda fit notes.txt --burn_in 100 | the chain has one state, which is the model
lda fit notes.txt --optim_interval 10 | alpha and beta are optimised by default; --fixed-priors keeps them as they are
lda fit notes.txt --chunksize 2000 | each epoch draws the topics of all documents
lda fit notes.txt --batch_size 128 | there are no batches and no learning rate
lda fit notes.txt --update_every 1 | there are no batches and no learning rate
lda fit notes.txt --decay 0.5 | there are no batches and no learning rate
lda fit notes.txt --learning_decay 0.7 | there are no batches and no learning rate
lda fit notes.txt --learning_method online | topics are drawn by collapsed Gibbs sampling
lda fit notes.txt --total_samples 1e6 | there are no batches and no learning rate
lda fit notes.txt --perp_tol 0.1 | a fit ends where the perplexity of held-out documents falls by less than 0.1 %
lda fit notes.txt --gamma_threshold 0.001 | --target PERPLEXITY ends it where it is reached
lda fit notes.txt --eval_every 10 | --eval_every is --evaluate-every here
lda fit notes.txt --no_below 5 | --no_below is --min-df here
lda fit notes.txt --no-above 0.5 | --no-above is --max-df here
lda fit notes.txt --min_cf 3 | --min_cf is --min-df N, which counts documents
lda fit notes.txt --rm_top 10 | --rm_top is --remove-top here
lda fit notes.txt --keep_n 10000 | there is no option that keeps N words
lda fit notes.txt --max_features 1000 | there is no option that keeps N words
lda fit notes.txt --ngram 2 | --ngram is --phrases N, which joins the N pairs of neighbouring words
lda fit notes.txt --ngram_range 1,2 | is --phrases N
lda fit notes.txt --stopwords english | --stopwords is --stop-words here
lda fit notes.txt --stop_words english | --stop_words is --stop-words here
lda fit notes.txt --id2word v.txt | --id2word is --vocab here
lda fit notes.txt --vocabulary v.txt | --vocabulary is --vocab here
lda fit notes.txt --token_pattern x | --token_pattern is --words unicode|blanks
lda fit notes.txt --analyzer word | --analyzer is --words unicode|blanks
lda fit notes.txt --lowercase | words are in lower case and composed (NFC)
lda fit notes.txt --per_word_topics | --out DIR has doc_topic.npz
lda fit notes.txt --num_words 20 | `lda topics MODEL --words 20` shows so many words of each topic
lda topics run --topn 20 | --topn 20 is --words 20
lda topics run --num-top-words 20 | --num-top-words 20 is --words 20
lda fit notes.txt --distributed | `raddle launch --processes P -- lda fit ..`
lda fit notes.txt --parallel 2 | --parallel is --workers here
lda fit notes.txt --text-column body | --text-column is --text here
lda fit notes.txt --label kind | topics have no response
lda fit notes.txt --test-size 0.1 | --test-size 0.1 is --validation 0.1 to end the fit
lda fit notes.txt --cv 5 | `lda cv DATA --folds 5` chooses the number of topics by cross-validation
lda cv notes.txt --n_splits 5 | --n_splits is --folds here
lda fit notes.txt --scoring perplexity | a fit says its held-out perplexity; --coherence measures the topics, too
lda fit notes.txt --seed-words s.txt | --seed-words is --word-priors FILE
lda tune notes.txt | `lda cv DATA --topics 10,20,40` chooses the number of topics by cross-validation
lda train notes.txt | the verb is fit: `lda fit DATA`
lda transform run notes.txt | the verb is infer: `lda infer MODEL DATA`
lda predict run notes.txt | the verb is infer
lda evaluate run notes.txt | `lda fit DATA --test split`
lda coherence run notes.txt | says the coherence of each topic
# Words of command lines in general
lasso fit h.csv --label price | --label is --y here
lasso fit h.csv --response price | --response is --y here
lasso fit h.csv --target price | --target is --y here
lasso fit h.csv --target-column price | --target-column is --y here
lasso fit --train h.csv | the data follow the verb, without an option: `lasso fit h.csv`
lasso fit --input h.csv | the data follow the verb, without an option: `lasso fit h.csv`
lasso predict run --input h.csv | the model stands first, then the data, without options: `lasso predict MODEL h.csv`
lasso predict --model run h.csv | the model stands first, without an option: `lasso predict run`
lasso fit h.csv --model run | --init MODEL starts from the model of an earlier run, and --out DIR writes the new one
lasso fit h.csv --delimiter ; | --delimiter is --separator here
lasso fit h.csv --sep ; | --sep is --separator here
lasso fit h.csv --elastic-net | --elastic-net is --l1-ratio A, the share of the l1 norm
lasso fit h.csv --output-dir run | --output-dir is --out here
lasso fit h.csv --save run | --save is --out here
lasso fit h.csv --overwrite | --overwrite is --force here
lasso fit h.csv --na-values x | --na-values is --missing here
lasso fit h.csv --features a,b | --features is --columns here
lasso fit h.csv --categorical_features a | --categorical_features is --categorical here
lasso fit h.csv --gpu | everything is computed on the processor's cores
lasso fit h.csv --timeout 9 | --timeout is --time-limit here
lasso fit h.csv --save-every 5 | --save-every is --checkpoint-every here
lasso fit h.csv --config c.toml | --resume RUN continues a run with its own options
lasso fit h.csv --points 30 | `lasso path DATA --points 30` fits so many lambdas
lasso fit h.csv --stratify on | an option of `lasso cv`, not of `lasso fit`
linear fit h.csv --rule 1se | an option of `linear cv`, not of `linear fit`
lasso train h.csv | `train`: the verb is fit: `lasso fit DATA`
lasso evaluate run h.csv | `lasso fit DATA --test 0.2` measures a fit
lasso score run h.csv | `lasso predict MODEL DATA --y NAME` a model on other data
lasso tune h.csv | the verb is cv: `lasso cv DATA`
lasso transform run h.csv | the verb is predict: `lasso predict MODEL DATA`
lasso coef run | coef.tsv in the model's folder has the coefficients
lasso launch | `launch` is raddle's verb
lasso list | `list` is raddle data's verb
lda recommend run | `recommend` is mf's verb
linear train h.csv | the verb is fit: `linear fit DATA`
linear evaluate run h.csv | `linear predict MODEL DATA --y NAME` measures a model on data
linear test run h.csv | `linear predict MODEL DATA --y NAME` measures a model on data
linear classify run h.csv | the verb is predict: `linear predict MODEL DATA`
# Slurm, Kubernetes and other schedulers
pool run jobs.toml --scheduler fifo --out p | --scheduler is --policy here
pool run jobs.toml --max-jobs 3 --out p | --max-jobs is --alive here
pool run jobs.toml --cpus 3 --out p | --cpus is --workers here
pool run --jobs jobs.toml --out p | the file of jobs has no option: `pool run jobs.toml --out POOL`
pool add p --priority 3 -- lasso fit | --priority is --value here
pool add p --depends-on a -- lasso fit | --depends-on is --after here
pool add p --job-name a -- lasso fit | --job-name is --name here
pool add p --due 20m -- lasso fit | --due is --deadline here
pool add p lasso fit | the program and its arguments stand behind --: `pool add POOL -- lasso ..`
pool submit p | the verb is add: `pool add POOL -- PROGRAM ..`
pool ls p | the verb is status: `pool status POOL`
pool kill p job | the verb is cancel: `pool cancel POOL JOB`
pool start jobs.toml | the verb is run: `pool run JOBS --out POOL`
pool simulate pollux:6 | the simulator of policies is a program of its own: `cargo run -p raddle-pool-sim -- SPEC`
pool status --pool p | the folder of the pool has no option: `pool status p`
# mpirun, torchrun
raddle launch -np 4 -- lasso fit | -np is --processes here
raddle launch --nproc_per_node 4 -- lasso fit | --nproc_per_node is --processes here
raddle launch --hostfile h -- lasso fit | --hostfile is --hosts here
raddle launch --master_port 29500 -- lasso fit | --master_port is --listen ADDR[:PORT]
raddle launch --threads 2 -- lasso fit | --threads is --workers here
raddle launch --tls -- lasso fit | --tls is --encrypt here
raddle launch --max_restarts 3 -- lasso fit | --resume-or-begin RUN continues a run, or starts it
raddle launch --out run -- lasso fit | --out is an option of PROGRAM, after --
raddle launch lasso fit | the program and its arguments stand behind --: `raddle launch --processes 2 -- lasso ..`
raddle join --address host:1 --token-file t | the address has no option: `raddle join host:1 --token-file FILE`
raddle join host:1 --token t | --token is --token-file here
raddle status run --follow | --follow is --watch here
raddle ps | the verb is status: `raddle status RUN`
raddle kill run | ends a run, which keeps its model
raddle resume run | `raddle launch --resume RUN` continues a launched run
raddle mpirun -np 2 lasso | the verb is launch
raddle fetch ml-1m | `fetch` is raddle data's verb
raddle predict run | `predict` is lasso's, mf's and linear's verb
# wget, scikit-learn's and torchvision's fetchers
raddle-data fetch ml-1m --dir d | --dir is --to here
raddle-data fetch ml-1m --data_home d | --data_home is --to here
raddle-data fetch ml-1m -o d | -o is --to here
raddle-data fetch ml-1m -y | -y is --yes here
raddle-data fetch ml-1m --force | --force is --yes here
raddle-data fetch ml-1m --mirror https://a.org | --mirror is --from here
raddle-data fetch ml-1m --md5 ab | --md5 is --sha256 here
raddle-data fetch ml-1m --tries 3 | an interrupted fetch continues by itself
raddle-data download ml-1m | the verb is fetch: `raddle data fetch NAME`
raddle-data ls | the verb is list: `raddle data list`
raddle-data where ml-1m | the verb is path: `raddle data path NAME`
raddle-data rm ml-1m | prints where the file lies
";
